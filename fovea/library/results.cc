#include "fovea/library/results.h"

namespace fovea::library {
namespace {

LabelProbability probability_of(const std::vector<std::string>& labels, const decode::LabelValues& values) {
  return {labels[values.best()], values.values[values.best()]};
}

}  // namespace

Hypothesis hypothesis_of(const decode::Candidate& one) {
  Hypothesis said{one.text, one.pieces, one.ids, one.log_prob, one.score, one.ended};
  said.tokens.resize(one.ids.size());
  return said;
}

Hypothesis hypothesis_of(const data::Tokenizer& tokenizer, const decode::Generated& made) {
  Hypothesis text{made.text, {}, made.ids, made.log_prob, made.score, made.ended};
  for (const int32_t id : made.ids) text.tokens.push_back(tokenizer.piece(id));
  return text;
}

Classification classification_of(const std::vector<std::string>& labels, const decode::Classified& one) {
  Classification result;
  if (!one.line.values.empty()) {
    static_cast<LabelProbability&>(result) = probability_of(labels, one.line);
    for (size_t i = 0; i < labels.size(); ++i) result.all.push_back({labels[i], one.line.values[i]});
  }
  for (const decode::Classified::Word& word : one.words)
    result.words.push_back({probability_of(labels, word.labels), std::string(word.text)});
  return result;
}

}  // namespace fovea::library
