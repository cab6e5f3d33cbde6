#include "fovea/models/table.h"

#include <string>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/models/bert.h"
#include "fovea/models/gpt.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/rnn_seq2seq.h"
#include "fovea/models/transformer.h"

namespace fovea::models {
namespace {

// Makes a Net of options that the config says.
template <typename Model, auto kOptionsFrom>
std::unique_ptr<Net> make(const nlohmann::json& config, uint64_t seed) {
  return std::make_unique<Model>(kOptionsFrom(config), seed);
}

// Of a model that reads one vocabulary and writes another.
template <auto kOptionsFrom>
ModelSize size_of_pair(const nlohmann::json& config) {
  const auto o = kOptionsFrom(config);
  return {o.source_vocab, o.target_vocab, static_cast<int64_t>(o.least_weights()), o.longest()};
}

constexpr ModelKind kTable[] = {
    {"rnn", "recurrent encoder-decoder: bottleneck, bahdanau or luong", true,
     make<RnnSeq2Seq, rnn_options_from>, size_of_pair<rnn_options_from>},
    {"transformer", "encoder and decoder of self-attention", true,
     make<Transformer, transformer_options_from>, size_of_pair<transformer_options_from>},
    {"gpt", "decoder alone, which continues a text", false, make<Gpt, gpt_options_from>,
     [](const nlohmann::json& config) -> ModelSize {
       const GptOptions o = gpt_options_from(config);
       return {o.vocab, o.vocab, static_cast<int64_t>(o.least_weights()), o.block_size};
     }},
    {"bert", "encoder alone: masked words, labels, sentence vectors", false, make<Bert, bert_options_from>,
     [](const nlohmann::json& config) -> ModelSize {
       const BertOptions o = bert_options_from(config);
       return {o.vocab, o.vocab, static_cast<int64_t>(o.least_weights()), o.max_positions};
     }},
};

}  // namespace

const ModelKind& model_kind_of(const nlohmann::json& config) {
  const bool named = config.is_object() && config.contains("model_type") && config["model_type"].is_string();
  check(named, "model", "a config without model_type: expected {{\"model_type\": \"rnn\", ...}}");
  const std::string name = config["model_type"];
  const Layout* layout = find_layout(name);
  std::vector<std::string> names;
  for (const ModelKind& kind : kTable) {
    if (layout ? layout->model == kind.name : kind.own_layout && name == kind.name) return kind;
    if (kind.own_layout) names.emplace_back(kind.name);
    for (std::string& type : layouts_of(kind.name)) names.push_back(std::move(type));
  }
  fail("model", "there is no model {}: did you mean '{}'? Known are {}", quote(name),
       nearest(name, names, 1).front(), fmt::join(names, ", "));
}

std::span<const ModelKind> model_table() { return kTable; }

std::unique_ptr<Net> make_net(const nlohmann::json& config, uint64_t seed) {
  return model_kind_of(config).make(config, seed);
}

std::unique_ptr<Seq2Seq> make_model(const nlohmann::json& config, uint64_t seed) {
  std::unique_ptr<Net> net = make_net(config, seed);
  auto* seq2seq = dynamic_cast<Seq2Seq*>(net.get());
  check(seq2seq != nullptr, "model", "a {} does not turn one sequence into another",
        model_kind_of(config).name);
  net.release();
  return std::unique_ptr<Seq2Seq>(seq2seq);
}

ModelSize size_of_model(const nlohmann::json& config) { return model_kind_of(config).size(config); }

}  // namespace fovea::models
