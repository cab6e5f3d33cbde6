#include "fovea/models/model_dir.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/grouped.h"
#include "fovea/base/json.h"
#include "fovea/base/quote.h"
#include "fovea/base/staged_directory.h"
#include "fovea/kernels/quantized.h"
#include "fovea/kernels/transpose.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/special_ids.h"
#include "fovea/models/table.h"
#include "fovea/tensor/shape_ops.h"

namespace fovea::models {
namespace {

constexpr size_t kMostConfig = 1 << 20, kMostVocabulary = size_t{1} << 30;

bool is_file(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

nlohmann::json read_config(const std::string& path) {
  nlohmann::json config = parse_json(read_file(path, kMostConfig, "model"), "model", path);
  check(config.is_object(), "model", "{}: no valid JSON object: expected {{\"model_type\": ...}}", path);
  return config;
}

// {"tokenizer": {"joint": "spm"}} or {"tokenizer": {"source": "word", "target": "char"}}.
std::shared_ptr<const data::Tokenizer> read_tokenizer(const nlohmann::json& config, const std::string& dir,
                                                      const std::string& side) {
  const auto found = config.find("tokenizer");
  const bool named =
      found != config.end() && found->is_object() && found->contains(side) && (*found)[side].is_string();
  check(named, "model", "{}/config.json does not name the tokenizer of the {}", dir, side);
  const std::string path = dir + "/" + side + ".vocab";
  return data::tokenizer_from((*found)[side].get<std::string>(), read_file(path, kMostVocabulary, "model"),
                              path);
}

data::TokenizerPair read_tokenizers(const nlohmann::json& config, const std::string& dir) {
  if (!config.contains("tokenizer") && find_layout(text_of(config, "model_type")))
    return data::read_hf_tokenizer(dir);
  if (config.contains("tokenizer") && config["tokenizer"].is_object() &&
      config["tokenizer"].contains("joint")) {
    const auto joint = read_tokenizer(config, dir, "joint");
    return {joint, joint};
  }
  return {read_tokenizer(config, dir, "source"), read_tokenizer(config, dir, "target")};
}

// A model may have more words than its tokenizer ever says: Hugging Face's are often filled up to a round number.
void check_vocabulary(const data::Tokenizer& tokenizer, int64_t ids, const std::string& dir, const char* side,
                      bool ours) {
  check(tokenizer.size() == ids || (!ours && tokenizer.size() < ids), "model",
        "{}: the {} tokenizer has {} ids and the model {}: they do not belong together", dir, side,
        grouped(tokenizer.size()), grouped(ids));
}

// A config that asks for more than the files hold is found before memory is taken for it.
void check_weights(const WeightFiles& files, int64_t least, const std::string& dir) {
  check(files.numbers() >= least, "model",
        "{}: config.json asks for {} weights or more, and there are {}: they do not belong together", dir,
        grouped(least), grouped(files.numbers()));
}

std::shared_ptr<Net> net_of(const ModelFiles& files) {
  std::shared_ptr<Net> net = make_net(files.config, 1);
  load_weights(*net, *files.weights);
  return net;
}

Tensor turned(const Tensor& x) {
  Tensor y = Tensor::empty({x.dim(1), x.dim(0)}, x.dtype());
  kernels::transpose(x.data<float>(), x.dim(1), y.data<float>(), x.dim(0), x.dim(0), x.dim(1));
  return y;
}

// As a file has it.
Tensor written(const Stored& one) {
  if (one.channels_first) return tensor::permute(one.tensor, {0, 3, 1, 2});
  return one.transposed ? turned(one.tensor) : one.tensor;
}

}  // namespace

namespace {

// The files of its tokenizers; the config names those that are not in files of Hugging Face's.
std::vector<std::pair<std::string, std::string>> tokenizer_files(const Model& model, nlohmann::json& config) {
  std::vector<std::pair<std::string, std::string>> files;
  if (!model.source) return files;
  const Layout* layout = find_layout(config.value("model_type", ""));
  const bool sentencepiece = model.source->kind() == "spm" || model.source->kind() == "marian";
  if (layout && sentencepiece == layout->sentencepiece) files = model.source->hf_files();
  if (!files.empty()) return files;  // they say what it is
  if (model.source == model.target) {
    config["tokenizer"] = {{"joint", model.source->kind()}};
    files.emplace_back("joint.vocab", model.source->serialized());
  } else {
    config["tokenizer"] = {{"source", model.source->kind()}, {"target", model.target->kind()}};
    files.emplace_back("source.vocab", model.source->serialized());
    files.emplace_back("target.vocab", model.target->serialized());
  }
  return files;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> describe(const Model& model) {
  nlohmann::json config = model.net->config();
  std::vector<std::pair<std::string, std::string>> files = tokenizer_files(model, config);
  if (config.contains("preprocessor")) {  // in a file of its own, where Hugging Face has it
    files.emplace_back("preprocessor_config.json", config["preprocessor"].dump(2) + "\n");
    config.erase("preprocessor");
  }
  if (config.contains("dtype"))
    config["dtype"] = model.file_dtype == FileDType::kF16    ? "float16"
                      : model.file_dtype == FileDType::kBF16 ? "bfloat16"
                                                             : "float32";
  files.emplace_back("config.json", config.dump(2) + "\n");
  return files;
}

namespace {

// Somebody gave one file where a directory is expected.
[[noreturn]] void fail_on_file(const std::string& path) {
  constexpr struct {
    std::string_view ending, what;
  } kKnown[] = {
      {".gguf", "a GGUF file of llama.cpp, which is not supported"},
      {".ggml", "a GGML file of llama.cpp, which is not supported"},
      {".bin", "a pickled file of PyTorch, which is not supported: it can run code when it is read"},
      {".pt", "a pickled file of PyTorch, which is not supported: it can run code when it is read"},
      {".pth", "a pickled file of PyTorch, which is not supported: it can run code when it is read"},
      {".ckpt", "a pickled checkpoint, which is not supported: it can run code when it is read"},
      {".onnx", "an ONNX file, which is not supported"},
      {".npz", "a model of Marian, which is not supported"},
      {".safetensors", "the weights alone: give the directory that holds it and its config.json"}};
  std::string_view what = "a file";
  for (const auto& known : kKnown)
    if (path.ends_with(known.ending)) what = known.what;
  fail("model",
       "{} is {}; a model is a directory with config.json and *.safetensors, of Fovea or of Hugging Face (a "
       "model_type of {})",
       path, what, fmt::join(model_types(), ", "));
}

}  // namespace

std::string find_model(const std::string& dir) {
  for (const char* place : {"", "/best", "/last"})
    if (is_file(dir + place + "/config.json")) return dir + place;
  struct stat info;
  if (stat(dir.c_str(), &info) != 0) fail("model", "{}: {}", dir, std::strerror(errno));
  if (!S_ISDIR(info.st_mode)) fail_on_file(dir);
  fail("model", "{} is no model: there is no config.json in it, nor in {}/best or {}/last", dir, dir, dir);
}

namespace {

// Against the checksums of whoever saved it. A run may put a newer one in its place while it is read: then the second try fits.
void check_files(const std::string& dir) {
  if (!is_committed(dir)) return;
  try {
    verify_directory(dir, "model");
  } catch (const Error&) {
    verify_directory(dir, "model");
  }
}

}  // namespace

int64_t count_parameters(const ModelFiles& files) {
  int64_t count = 0;
  for (const auto& [name, entry] : files.weights->entries()) {
    const bool scale = name.ends_with(".scale") && files.weights->contains(name.substr(0, name.size() - 6));
    if (!scale && !may_be_left_out(files.layout, name)) count += entry.of.shape.size();
  }
  return count;
}

data::TokenizerPair load_tokenizers(const std::string& where) {
  const std::string dir = find_model(where);
  const nlohmann::json config = read_config(dir + "/config.json");
  if (!config.contains("tokenizer")) {
    const char* tokenizer =
        model_kind_of(config).tokenizer;  // a model of another kind has none that is known
    check(*tokenizer != 0, "model", "{}: a {} has no text, and no tokenizer", dir,
          text_of(config, "model_type"));
  }
  return read_tokenizers(config, dir);
}

ModelFiles open_model(const std::string& where) {
  ModelFiles files;
  files.dir = find_model(where);
  check_files(files.dir);
  files.config = read_config(files.dir + "/config.json");
  nlohmann::json& config = files.config;
  files.layout = find_layout(text_of(config, "model_type"));
  if (config.contains("quantization")) {
    check(config["quantization"] == "int8", "model", "{}/config.json: quantization {}: expected \"int8\"",
          files.dir, config["quantization"].dump());
    files.quantized = true;
    config.erase("quantization");
  }
  model_kind_of(config);  // before files are looked for that a model of another program would not have
  files.weights = std::make_shared<const WeightFiles>(files.dir, files.layout == nullptr);
  if (files.layout && files.layout->complete) files.layout->complete(config, files.dir, *files.weights);
  check_weights(*files.weights, size_of_model(config).least_weights, files.dir);
  return files;
}

data::TokenizerPair load_tokenizers(const ModelFiles& files) {
  const ModelSize size = size_of_model(files.config);
  if (size.source_vocab == 0 && size.target_vocab == 0) return {};
  data::TokenizerPair pair = read_tokenizers(files.config, files.dir);
  const bool ours = files.config.contains("tokenizer");
  check_vocabulary(*pair.source, size.source_vocab, files.dir, "source", ours);
  check_vocabulary(*pair.target, size.target_vocab, files.dir, "target", ours);
  ModelFiles same = files;
  add_special_ids(same, pair);
  return pair;
}

bool lacks_special_ids(const ModelFiles& files) {
  if (size_of_model(files.config).target_vocab == 0) return false;
  if (files.layout) return files.layout->sentencepiece && !files.config.contains("unk_token_id");
  return !files.config.contains("eos_token_id");
}

void add_special_ids(ModelFiles& files, const data::TokenizerPair& tokenizers) {
  const data::SpecialIds source = tokenizers.source->special_ids(), target = tokenizers.target->special_ids();
  if (!files.layout)
    add_special_ids(files.config, source, target, files.dir);
  else if (lacks_special_ids(files))
    files.config["unk_token_id"] = target.unk < 0 ? nlohmann::json() : nlohmann::json(target.unk);
}

Model load_model(const std::string& where) {
  ModelFiles files = open_model(where);
  const data::TokenizerPair tokenizers = load_tokenizers(files);
  if (tokenizers.source) add_special_ids(files, tokenizers);
  return {net_of(files), tokenizers.source, tokenizers.target, files.weights->file_dtype(), files.quantized};
}

std::shared_ptr<Net> load_net(const std::string& where) { return net_of(open_model(where)); }

std::vector<NamedTensor> weights_of(Net& net, FileDType as) {
  std::vector<NamedTensor> tensors;
  for (const Stored& one : net.stored()) tensors.push_back({one.name, written(one), as});
  return tensors;
}

std::vector<NamedTensor> quantized_weights_of(Net& net) {
  constexpr int64_t kLeast = 16;  // smaller matrices are not worth it
  std::vector<NamedTensor> tensors;
  for (const Stored& one : net.stored()) {
    const Tensor& w = one.tensor;
    if (w.rank() != 2 || w.dim(0) < kLeast || w.dim(1) < kLeast) {
      tensors.push_back({one.name, written(one)});
      continue;
    }
    const int64_t n = w.dim(0), k = w.dim(1);
    const Tensor q = Tensor::empty({n, k}, DType::kU8), scale = Tensor::empty({n});
    std::vector<int8_t> row(static_cast<size_t>(w.size()));
    kernels::quantize_rows(n, k, w.data<float>(), k, row.data(), scale.data<float>());
    for (int64_t i = 0; i < w.size(); ++i)
      q.data<uint8_t>()[i] = static_cast<uint8_t>(row[static_cast<size_t>(i)] + 128);
    tensors.push_back({one.name, q});
    tensors.push_back({one.name + ".scale", scale});
  }
  return tensors;
}

namespace {

bool is_quantized(const WeightFiles& files, const std::string& name) {
  if (!files.contains(name + ".scale")) return false;
  const Safetensors::Entry& entry = files.entries().at(name).of;
  check(entry.dtype == "U8" && entry.shape.rank() == 2, "model",
        "{}: '{}.scale' belongs to a matrix of U8, and '{}' is {} {}", files.name(), name, name, entry.dtype,
        entry.shape.str());
  return true;
}

Tensor dequantized(const WeightFiles& files, const std::string& name) {
  const Tensor q = files.read(name), scale = files.read(name + ".scale");
  const int64_t n = q.dim(0), k = q.dim(1);
  check(scale.shape() == Shape{n} && scale.dtype() == DType::kF32, "model",
        "{}: '{}.scale' has shape {}: expected F32 [{}]", files.name(), name, scale.shape().str(), n);
  Tensor w = Tensor::empty({n, k});
  for (int64_t i = 0; i < n * k; ++i)
    w.data<float>()[i] =
        static_cast<float>(static_cast<int>(q.data<uint8_t>()[i]) - 128) * scale.data<float>()[i / k];
  return w;
}

}  // namespace

void load_weights(Net& net, const WeightFiles& files) {
  std::map<std::string, Stored> known;
  for (Stored& one : net.stored()) known.emplace(one.name, one);
  const Layout* layout = find_layout(net.config().value("model_type", ""));
  std::map<std::string, std::string> names;  // ours to the file's
  for (const auto& [name, entry] : files.entries()) {
    const bool in_bytes = is_quantized(files, name);
    if (name.ends_with(".scale") && files.contains(name.substr(0, name.size() - 6)))
      continue;  // part of another
    const std::string ours = known.contains(name) ? name : other_name(layout, name);
    const auto found = known.find(ours);
    if (found == known.end() && may_be_left_out(layout, name)) continue;
    check(found != known.end(), "model", "{}: tensor {} is not part of this model", files.name(),
          quote(name));
    if (!names.emplace(ours, name).second)
      fail("model", "{}: '{}' and {} are one and the same tensor", files.name(), names[ours], quote(name));
    Shape shape = found->second.tensor.shape();
    if (found->second.transposed && !in_bytes) std::swap(shape[0], shape[1]);
    if (found->second.channels_first) shape = {shape[0], shape[3], shape[1], shape[2]};
    check(shape == entry.of.shape, "model", "{}: tensor '{}' has shape {}: expected {}", files.name(), name,
          entry.of.shape.str(), shape.str());
  }
  for (const auto& [name, stored] : known)
    check(names.contains(name), "model", "{}: tensor '{}' is missing", files.name(), name);
  for (const auto& [name, stored] : known) {
    const std::string& theirs = names[name];
    const bool in_bytes = is_quantized(files, theirs);
    Tensor value = in_bytes ? dequantized(files, theirs) : files.read(theirs).to(stored.tensor.dtype());
    if (stored.transposed && !in_bytes) value = turned(value);
    if (stored.channels_first) value = tensor::permute(value, {0, 2, 3, 1});
    check(!stored.zero || std::ranges::all_of(value.span<float>(), [](float x) { return x == 0; }), "model",
          "{}: tensor '{}' is not zero, and config.json says that the model has none (\"bias\": false)",
          files.name(), theirs);
    std::copy_n(value.bytes_data(), value.bytes(), stored.tensor.bytes_data());
  }
}

}  // namespace fovea::models
