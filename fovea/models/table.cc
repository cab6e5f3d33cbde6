#include "fovea/models/table.h"

#include <string>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/models/rnn_seq2seq.h"
#include "fovea/models/transformer.h"

namespace fovea::models {
namespace {

constexpr ModelKind kTable[] = {
    {"rnn", "recurrent encoder-decoder: bottleneck, bahdanau or luong",
     [](const nlohmann::json& config, uint64_t seed) -> std::unique_ptr<Seq2Seq> {
       return std::make_unique<RnnSeq2Seq>(rnn_options_from(config), seed);
     },
     [](const nlohmann::json& config) -> ModelSize {
       const RnnOptions o = rnn_options_from(config);
       return {o.source_vocab, o.target_vocab, static_cast<int64_t>(o.least_weights()), o.longest()};
     }},
    {"transformer", "encoder and decoder of self-attention",
     [](const nlohmann::json& config, uint64_t seed) -> std::unique_ptr<Seq2Seq> {
       return std::make_unique<Transformer>(transformer_options_from(config), seed);
     },
     [](const nlohmann::json& config) -> ModelSize {
       const TransformerOptions o = transformer_options_from(config);
       return {o.source_vocab, o.target_vocab, static_cast<int64_t>(o.least_weights()), o.longest()};
     }},
};

const ModelKind& kind_of(const nlohmann::json& config) {
  const bool named = config.is_object() && config.contains("model_type") && config["model_type"].is_string();
  check(named, "model", "a config without model_type: expected {{\"model_type\": \"rnn\", ...}}");
  const std::string name = config["model_type"];
  std::vector<std::string> names;
  for (const ModelKind& kind : kTable) {
    if (name == kind.name) return kind;
    names.emplace_back(kind.name);
  }
  fail("model", "there is no model {}: did you mean '{}'?", quote(name), nearest(name, names, 1).front());
}

}  // namespace

std::span<const ModelKind> model_table() { return kTable; }

std::unique_ptr<Seq2Seq> make_model(const nlohmann::json& config, uint64_t seed) {
  return kind_of(config).make(config, seed);
}

ModelSize size_of_model(const nlohmann::json& config) { return kind_of(config).size(config); }

}  // namespace fovea::models
