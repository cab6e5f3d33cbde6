#include "fovea/base/json.h"
#include "fovea/models/bert.h"
#include "fovea/models/clip.h"
#include "fovea/models/gpt.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/sentence_config.h"
#include "fovea/models/table.h"
#include "fovea/models/transformer.h"
#include "fovea/models/vit.h"
#include "fovea/run/load.h"
#include "fovea/run/session.h"
#include "fuzz/reader.h"

namespace fovea::fuzz {
namespace {

const std::vector<std::string> kLines = {"the low lower lowest", "new newer newest"};

struct Kind {
  std::string name;
  nlohmann::json config;
  bool text = true;  // it has a tokenizer
};

// One small model of each kind and layout, for a vocabulary of `vocab`.
std::vector<Kind> kinds(int64_t vocab) {
  std::vector<Kind> all;
  const nlohmann::json rnn = {{"model_type", "rnn"},
                              {"source_vocab", vocab},
                              {"target_vocab", vocab},
                              {"dim_emb", 4},
                              {"dim_rnn", 4}};
  const nlohmann::json transformer = {{"model_type", "transformer"},
                                      {"source_vocab", vocab},
                                      {"target_vocab", vocab},
                                      {"dim_model", 8},
                                      {"heads", 2},
                                      {"dim_ffn", 8},
                                      {"enc_depth", 1},
                                      {"dec_depth", 1}};
  all.push_back({"rnn", rnn});
  all.push_back({"transformer", transformer});
  for (const char* layout : {"gpt2", "llama", "qwen2"}) {
    models::GptOptions gpt = models::gpt_defaults(layout);
    gpt.vocab = vocab;
    gpt.n_layer = 1;
    gpt.n_head = 2;
    gpt.n_embd = 8;
    gpt.block_size = 8;
    all.push_back({layout, models::to_json(gpt)});
  }
  for (const char* layout : {"bert", "distilbert", "roberta"}) {
    models::BertOptions bert;
    models::fix_options(*models::find_layout(layout), bert);
    bert.vocab = vocab;
    bert.layers = 1;
    bert.heads = 2;
    bert.width = bert.dim_ffn = 8;
    bert.max_positions = 16;
    bert.head = "labels";
    bert.labels = {"a", "b"};
    all.push_back({layout, models::to_json(bert)});
  }
  models::VitOptions vit;
  vit.picture_size = 8;
  vit.enc_depth = 1;
  vit.heads = 2;
  vit.dim_model = vit.dim_ffn = 8;
  vit.labels = {"a", "b"};
  all.push_back({"vit", models::to_json(vit), false});
  models::fix_options(models::layouts::kDeit, vit);
  vit.head = "teacher";
  all.push_back({"deit", models::to_json(vit), false});
  models::ClipOptions clip;
  models::fix_options(models::layouts::kClip, clip);
  clip.text = {.vocab = vocab, .layers = 1, .heads = 2, .width = 8, .dim_ffn = 8, .max_positions = 8};
  clip.text.eos = 1;
  clip.vision.picture_size = 8;
  clip.vision.enc_depth = 1;
  clip.vision.heads = 2;
  clip.vision.dim_model = clip.vision.dim_ffn = 8;
  clip.projection = clip.vision.projection = 4;
  all.push_back({"clip", models::to_json(clip)});
  return all;
}

std::vector<std::string> configs() {
  std::vector<std::string> list;
  for (const Kind& kind : kinds(9)) list.push_back(kind.config.dump());
  models::TransformerOptions marian;
  models::fix_options(models::layouts::kMarian, marian);
  marian.source_vocab = marian.target_vocab = 9;
  list.push_back(models::to_json(marian).dump());
  return list;
}

// Loads a directory as the verbs do, and runs the model on a few ids.
void run_a_step(const std::string& dir) {
  const run::Loaded model = run::load(dir);
  if (const auto pictures = run::as_picture_encoder(model.runner)) {
    const data::Picture picture(5, 9, 3, 100);
    pictures->embed(data::prepared({&picture, 1}, pictures->info().input));
  }
  if (!model.source) return;
  const std::vector<int32_t> ids = model.source->encode(kLines[0]);
  if (const auto* decoder = dynamic_cast<const run::Decoder*>(model.runner.get())) {
    run::Session session(*decoder);
    const std::vector<std::vector<int32_t>> sources = {ids};
    const run::Sequence sequence = decoder->info().reads_source ? session.join(sources)[0] : session.join();
    const std::vector<int32_t> first = {std::max(0, decoder->info().ids.sos)};
    const run::Feed feed{sequence, first};
    session.advance({&feed, 1});
  } else {
    const std::shared_ptr<const run::Encoder> encoder = run::as_encoder(model, dir).encoder;
    const std::vector<int32_t> some(ids.begin(),
                                    ids.begin() + std::min<int64_t>(2, static_cast<int64_t>(ids.size())));
    const run::Text text{some};
    encoder->states({&text, 1});
  }
}

// Every file of a model's directory, weights whole and in 8 bits.
void add_directories(std::vector<Reader>& list) {
  const std::shared_ptr<const data::Tokenizer> tokenizer = data::train_tokenizer(kLines, {.kind = "word"});
  for (const Kind& kind : kinds(tokenizer->size()))
    for (const bool quantized : {false, true}) {
      const std::shared_ptr<const data::Tokenizer> reads = kind.text ? tokenizer : nullptr;
      const models::Model model{models::make_net(kind.config, 1), reads, reads};
      Files files = models::describe(model);
      for (auto& [name, bytes] : files)
        if (quantized && name == "config.json") {
          nlohmann::json config = parse_json(bytes, "fuzz", name);
          config["quantization"] = "int8";
          bytes = config.dump();
        }
      files.emplace_back("model.safetensors", file_of([&](const std::string& path) {
                           write_safetensors(path, quantized ? models::quantized_weights_of(*model.net)
                                                             : models::weights_of(*model.net));
                         }));
      for (const auto& [name, bytes] : files)
        list.push_back(
            directory_file(kind.name + (quantized ? " int8 " : " ") + name, name, files, run_a_step));
    }
}

void add_sentence_configs(std::vector<Reader>& list) {
  const Files files = {
      {"modules.json",
       R"([{"path": "", "type": "a.Transformer"}, {"path": "1_Pooling", "type": "a.Pooling"}, {"type": "a.Normalize"}])"},
      {"1_Pooling/config.json", R"({"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false})"},
      {"sentence_bert_config.json", R"({"max_seq_length": 256, "do_lower_case": false})"}};
  for (const auto& [file, bytes] : files)
    list.push_back(directory_file(file, file, files, [](const std::string& dir) {
      nlohmann::json config = {{"model_type", "bert"}};
      models::add_sentence_config(config, dir);
      models::bert_options_from(config);
    }));
}

// Weights in several files.
void add_index(std::vector<Reader>& list) {
  const auto gpt = models::make_net(kinds(5)[2].config, 1);
  const std::vector<NamedTensor> weights = models::weights_of(*gpt);
  nlohmann::json map;
  for (const NamedTensor& one : weights) map[one.name] = "a.safetensors";
  const std::string data = file_of([&](const std::string& path) { write_safetensors(path, weights); });
  list.push_back(
      directory_file("index", "model.safetensors.index.json",
                     {{"config.json", gpt->config().dump()},
                      {"a.safetensors", data},
                      {"model.safetensors.index.json", nlohmann::json({{"weight_map", map}}).dump()}},
                     [](const std::string& dir) { models::load_net(dir); }));
}

}  // namespace

std::vector<Reader> model_readers() {
  std::vector<Reader> list;
  list.push_back({"config", configs(),
                  [](const std::string& text) { models::size_of_model(parse_json(text, "fuzz", "input")); }});
  add_sentence_configs(list);
  add_index(list);
  add_directories(list);
  return list;
}

}  // namespace fovea::fuzz
