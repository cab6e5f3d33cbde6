// fovea convert: a model in another form.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include "fovea/base/file.h"
#include "fovea/base/json.h"
#include "fovea/cli/options.h"
#include "fovea/cli/verbs.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/mask_options.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/transformer.h"
#include "fovea/train/checkpoint.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kWho = "convert";

// A row for every word, in MarianMT's order.
Tensor in_marian_order(const Tensor& x) {
  Tensor y = Tensor::empty(x.shape());
  const int64_t row = x.size() / x.dim(0);
  for (int64_t id = 0; id < x.dim(0); ++id)
    std::copy_n(x.data<float>() + id * row, row,
                y.data<float>() + data::marian_id(static_cast<int32_t>(id), x.dim(0)) * row);
  return y;
}

// A Transformer of ours as MarianMT has it: <pad> is the last of its words, and what a decoder that starts from zero starts from.
std::shared_ptr<models::Net> as_marian(models::Transformer& net, const models::Model& model) {
  constexpr float kNeverWritten = -1e4f;
  models::TransformerOptions options = net.options();
  const bool zero = options.starts_from_zero();
  check_fits_marian(options);
  check(model.source->kind() == "spm", kWho,
        "MarianMT's vocabularies are SentencePiece's, and this model's is of kind {}: train with --tokenizer "
        "spm",
        model.source->kind());
  check(model.source == model.target, kWho,
        "MarianMT has one vocabulary for both sides: train with --joint-vocab");
  models::fix_options(models::layouts::kMarian, options);
  const auto last = static_cast<int32_t>(options.target_vocab - 1);
  const auto id = [&](int32_t ours) { return data::marian_id(ours, options.target_vocab); };
  options.ids = {
      .pad = last, .unk = id(data::kUnk), .sos = zero ? last : id(data::kSos), .eos = id(data::kEos)};
  options.source_ids = options.ids;
  auto marian = std::make_shared<models::Transformer>(options, 1);
  const nn::ParameterList from = net.parameters(), to = marian->parameters();
  for (size_t i = 0; i < from.size(); ++i) {
    to[i]->value = from[i]->value;
    const bool words = from[i]->name == "embedding.weight", bias = from[i]->name == "output.bias";
    if (!words && !bias) continue;
    to[i]->value = in_marian_order(from[i]->value);
    const int64_t row = bias ? 1 : options.dim_model;
    std::fill_n(to[i]->value.data<float>() + last * row, row, bias ? kNeverWritten : 0.0f);
  }
  return marian;
}

void check_fit_f16(std::span<const NamedTensor> weights) {
  constexpr float kMost = 65519;
  for (const NamedTensor& each : weights)
    if (each.tensor.dtype() == DType::kF32)
      for (const float x : each.tensor.span<float>())
        check(!(std::abs(x) > kMost), kWho, "{} has a weight of {}, and f16 ends at 65504: take --dtype bf16",
              each.name, x);
}

// What Hugging Face's directories say about generating and chatting is no part of the model, and goes along as it is. The chat template may
// also stand in tokenizer_config.json.
void keep_settings_of(const std::string& dir, train::NamedFiles& files) {
  constexpr size_t kMost = size_t{1} << 24;
  for (const char* name : {"generation_config.json", "chat_template.jinja", "chat_template.json"})
    if (std::filesystem::is_regular_file(dir + "/" + name))
      files.emplace_back(name, read_file(dir + "/" + name, kMost, kWho));
  const std::string path = dir + "/tokenizer_config.json";
  if (!std::filesystem::is_regular_file(path)) return;
  const nlohmann::json was = parse_json(read_file(path, kMost, kWho), kWho, path);
  if (!was.is_object() || !was.contains("chat_template")) return;
  for (auto& [name, bytes] : files)
    if (name == "tokenizer_config.json") {
      nlohmann::json config = parse_json(bytes, kWho, name);
      if (config.contains("chat_template")) return;
      config["chat_template"] = was["chat_template"];
      bytes = config.dump(2) + "\n";
    }
}

}  // namespace

int convert(int argc, char** argv) {
  std::string from, to, format, quantize, dtype;
  Arguments app("Writes a model in another form: for Hugging Face transformers, or with weights in 8 bits.",
                "fovea convert");
  app.add_option("--from", from, "directory of a model, of Fovea or of Hugging Face")
      ->required()
      ->type_name("DIR");
  app.add_option("-o,--out,--to", to, "directory to write")->required()->type_name("DIR");
  app.add_option("--format", format,
                 "hf: what from_pretrained of transformers opens (marian, gpt2, llama, qwen2, bert, "
                 "distilbert, roberta, vit, deit, clip)")
      ->one_of({"hf"})
      ->type_name("hf");
  app.add_option("--quantize", quantize,
                 "int8: a quarter of the size, and faster word by word; Fovea alone reads it")
      ->one_of({"int8"})
      ->type_name("int8");
  app.add_option("--dtype", dtype,
                 "f32, or rounded to 16 bits: f16, bf16; otherwise as --from has its weights")
      ->one_of({"f32", "f16", "bf16"})
      ->type_name("TYPE");
  add_threads(app);
  app.footer(
      "Example:\n"
      "  fovea convert --from opus-mt-en-de --out en-de-int8 --quantize int8\n"
      "  fovea convert --from my-run --out my-model --format hf --dtype bf16");
  if (!parse(app, argc, argv)) return 0;
  expect_usage(format.empty() || quantize.empty(),
               "--format hf and --quantize: Hugging Face has no such 8 bits; choose one");
  expect_usage(dtype.empty() || quantize.empty(), "--dtype and --quantize: choose one");
  check(!std::filesystem::exists(to + "/state.json"), kWho,
        "{} is a checkpoint that a training run goes on from: choose another --out", to);
  models::Model model = models::load_model(from);
  if (format == "hf") {
    auto* transformer = dynamic_cast<models::Transformer*>(model.net.get());
    if (transformer && !models::find_layout(transformer->options().layout))
      model.net = as_marian(*transformer, model);
    const std::string type = model.net->config().value("model_type", "");
    check(!type.starts_with(models::kOwnType), kWho,
          "{}: Hugging Face's layouts have no place for the mask of this model; train without it", from);
    check(models::find_layout(type) != nullptr, kWho, "{}: Hugging Face has no layout for models of type {}",
          from, type);
  }
  if (model.quantized && format.empty() && dtype.empty()) quantize = "int8";
  if (!quantize.empty() || dtype == "f32") model.file_dtype = FileDType::kAsIs;
  if (dtype == "f16") model.file_dtype = FileDType::kF16;
  if (dtype == "bf16") model.file_dtype = FileDType::kBF16;
  train::NamedFiles files = models::describe(model);
  if (quantize == "int8")
    for (auto& [name, bytes] : files)
      if (name == "config.json") {
        nlohmann::json config = parse_json(bytes, kWho, name);
        config["quantization"] = "int8";
        bytes = config.dump(2) + "\n";
      }
  keep_settings_of(models::find_model(from), files);
  const auto weights = quantize.empty() ? models::weights_of(*model.net, model.file_dtype)
                                        : models::quantized_weights_of(*model.net);
  if (model.file_dtype == FileDType::kF16) check_fit_f16(weights);
  train::save_checkpoint(to, {.files = files, .weights = weights, .optimizer = {}});
  fmt::print(stderr, "[convert] {} in {}\n", from, to);
  return 0;
}

}  // namespace fovea::cli
