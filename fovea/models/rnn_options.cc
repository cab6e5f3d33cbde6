#include "fovea/models/rnn_options.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/nn/recurrent.h"
#include "fovea/nn/scores/score.h"
#include "fovea/nn/weigh/estimators.h"

namespace fovea::models {
namespace {

// Calls f(key, member) for every option: what reads and what writes agree by construction.
template <typename Options, typename F>
void each(Options& o, F&& f) {
  f("source_vocab", o.source_vocab);
  f("target_vocab", o.target_vocab);
  f("dim_emb", o.dim_emb);
  f("dim_rnn", o.dim_rnn);
  f("cell", o.cell);
  f("enc_depth", o.enc_depth);
  f("dec_depth", o.dec_depth);
  f("bidirectional", o.bidirectional);
  f("attention", o.attention);
  f("input_feeding", o.input_feeding);
  f("score", o.score);
  f("heads", o.heads);
  f("local", o.local);
  f("window", o.window);
  f("max_keys", o.max_keys);
  f("weigh", o.weigh);
  f("estimator", o.estimator);
  f("temperature", o.temperature);
  f("entropy_weight", o.entropy_weight);
  f("soft_share", o.soft_share);
  f("dim_readout", o.dim_readout);
  f("tied_embeddings", o.tied_embeddings);
  f("tied_embeddings_all", o.tied_embeddings_all);
  f("dropout", o.dropout);
}

void expect_one_of(const char* what, const std::string& value, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (name == value) return;
  fail("rnn", "there is no {} {}: did you mean '{}'?", what, quote(value), nearest(value, names, 1).front());
}

// Whether a value of config.json can become an option of type T, and what is expected where not.
template <typename T>
std::pair<bool, const char*> fits(const nlohmann::json& value) {
  if constexpr (std::is_same_v<T, std::string>) return {value.is_string(), "a name in quotes"};
  if constexpr (std::is_same_v<T, bool>) return {value.is_boolean(), "true or false"};
  if constexpr (std::is_same_v<T, double>) return {value.is_number(), "a number"};
  const bool small =
      !value.is_number_unsigned() || value.get<uint64_t>() <= std::numeric_limits<int64_t>::max();
  return {value.is_number_integer() && small, "a whole number"};
}

}  // namespace

double RnnOptions::least_weights() const {
  auto real = [](int64_t n) { return static_cast<double>(n); };
  const double emb = real(dim_emb), rnn = real(dim_rnn), ways = bidirectional ? 2 : 1;
  const double gates = real(kernels::gates_of(nn::cell_named(cell))) * rnn, read = ways * rnn;
  const double words = emb * (real(target_vocab) + (tied_embeddings_all ? 0 : real(source_vocab)));
  const double encoder = ways * gates * (emb + rnn + (real(enc_depth) - 1) * (read + rnn));
  const double decoder = gates * (emb + rnn + (real(dec_depth) - 1) * 2 * rnn) + read * real(dec_depth) * rnn;
  const double output = tied() ? 0 : real(target_vocab) * (readout() > 0 ? real(readout()) : 2 * rnn);
  double score_weights = 0;
  if (looks())
    for (const nn::ScoreParam& param : nn::score_named(score).params({.query = dim_rnn / heads,
                                       .key = dim_rnn / heads,
                                       .hidden = dim_rnn / heads,
                                       .max_keys = max_keys})) {
      double count = real(heads);
      for (const int64_t size : param.shape) count *= real(size);
      score_weights += count;
    }
  return words + encoder + decoder + output + score_weights;
}

void RnnOptions::check() const {
  using fovea::check;
  constexpr int64_t kMostWords = std::numeric_limits<int32_t>::max(), kMost = 1 << 20;
  auto within = [](const char* what, int64_t size, int64_t least, int64_t most) {
    check(size >= least && size <= most, "rnn", "{} {}: expected {} to {}", what, grouped(size), least,
          grouped(most));
  };
  within("source_vocab", source_vocab, 1, kMostWords);
  within("target_vocab", target_vocab, 1, kMostWords);
  within("dim_emb", dim_emb, 1, kMost);
  within("dim_rnn", dim_rnn, 1, kMost);
  within("enc_depth", enc_depth, 1, kMost);
  within("dec_depth", dec_depth, 1, kMost);
  within("heads", heads, 1, kMost);
  within("window", window, 1, kMost);
  within("max_keys", max_keys, 1, kMost);
  within("dim_readout", dim_readout, 0, kMost);
  nn::cell_named(cell);
  nn::score_named(score);
  nn::estimator_named(estimator);
  expect_one_of("attention", attention, {"bahdanau", "luong", "bottleneck"});
  expect_one_of("local", local, {"none", "local-m", "local-p"});
  expect_one_of("weigh", weigh, {"soft", "hard"});
  check(dim_rnn % heads == 0, "rnn", "dim_rnn {} does not divide into {} heads", dim_rnn, heads);
  // A mistyped number is refused before it takes all memory: the largest recurrent translators had a fifth of this.
  constexpr double kMostWeights = 2e9;
  check(least_weights() <= kMostWeights, "rnn",
        "about {:.3g} weights: expected {:.0g} at most; make the vocabularies or dim_emb, dim_rnn, "
        "enc_depth, dec_depth smaller",
        least_weights(), kMostWeights);
  check(!input_feeding || attention == "luong", "rnn",
        "input feeding belongs to luong: bahdanau's decoder sees its context anyway, and a bottleneck has "
        "none");
  check(weigh == "soft" || local != "local-p", "rnn",
        "hard attention reads one position: local-p's Gaussian has no use there");
  check(weigh == "soft" || looks(), "rnn",
        "a bottleneck does not look: hard attention needs bahdanau or luong");
  check(weigh == "soft" || estimator != "exact" || heads == 1, "rnn",
        "the exact estimator takes one head, not {}", heads);
  check(!tied_embeddings_all || source_vocab == target_vocab, "rnn",
        "tied_embeddings_all with vocabularies of {} and {}: expected one vocabulary for both sides",
        source_vocab, target_vocab);
  check(dropout >= 0 && dropout < 1, "rnn", "a dropout of {}: expected 0 to below 1", dropout);
  check(temperature > 0 && entropy_weight >= 0, "rnn",
        "temperature {} and entropy_weight {}: expected more than 0, and 0 or more", temperature,
        entropy_weight);
  check(soft_share >= 0 && soft_share <= 1, "rnn", "a soft_share of {}: expected 0 to 1", soft_share);
}

nlohmann::json to_json(const RnnOptions& options) {
  nlohmann::json json = {{"model_type", "rnn"}};
  each(options, [&](const char* key, const auto& value) { json[key] = value; });
  return json;
}

RnnOptions rnn_options_from(const nlohmann::json& config) {
  check(config.is_object(), "rnn", "a config that is no object: expected {{\"model_type\": \"rnn\", ...}}");
  RnnOptions options;
  std::vector<std::string> known = {"model_type", "tokenizer"};
  each(options, [&](const char* key, auto& value) {
    known.emplace_back(key);
    const auto found = config.find(key);
    if (found == config.end()) return;
    using T = std::remove_reference_t<decltype(value)>;
    const auto [fit, expected] = fits<T>(*found);
    check(fit, "rnn", "config: {} is {}: expected {}", key, quote(found->dump()), expected);
    value = found->template get<T>();
  });
  for (const auto& [key, value] : config.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail("rnn", "config: unknown key {}: did you mean '{}'?", quote(key), nearest(key, known, 1).front());
  options.check();
  return options;
}

}  // namespace fovea::models
