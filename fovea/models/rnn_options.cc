#include "fovea/models/rnn_options.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/models/mask_options.h"
#include "fovea/models/options_json.h"
#include "fovea/nn/recurrent.h"
#include "fovea/nn/scores/score.h"
#include "fovea/nn/weigh/estimators.h"

namespace fovea::models {
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
  within("max_keys", max_keys, 1, kMost);
  within("dim_readout", dim_readout, 0, kMost);
  nn::cell_named(cell);
  nn::score_named(score);
  nn::estimator_named(estimator);
  expect_one_of("rnn", "attention", attention, {"bahdanau", "luong", "bottleneck"});
  check_mask(cross_mask, nn::Place::kCross);
  expect_one_of("rnn", "weigh", weigh, {"soft", "hard"});
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
  check(weigh == "soft" || !nn::MaskSpec(cross_mask).has("local-p"), "rnn",
        "hard attention reads one position: local-p's Gaussian has no use there");
  check(weigh == "soft" || looks(), "rnn",
        "a bottleneck does not look: hard attention needs bahdanau or luong");
  check(weigh == "soft" || estimator != "exact" || heads == 1, "rnn",
        "the exact estimator takes one head, not {}", heads);
  check(!tied_embeddings_all || source_vocab == target_vocab, "rnn",
        "tied_embeddings_all with vocabularies of {} and {}: expected one vocabulary for both sides",
        source_vocab, target_vocab);
  check_special_ids("rnn", source_ids, source_vocab, ids, target_vocab);
  for (const double rate : {dropout, dropout_src, dropout_trg})
    check(rate >= 0 && rate < 1, "rnn", "a dropout of {}: expected 0 to below 1", rate);
  check(temperature > 0 && entropy_weight >= 0, "rnn",
        "temperature {} and entropy_weight {}: expected more than 0, and 0 or more", temperature,
        entropy_weight);
  check(doubly_stochastic >= 0 && (doubly_stochastic == 0 || (looks() && weigh == "soft")), "rnn",
        "doubly_stochastic {}: expected 0 or more, and attention that is soft", doubly_stochastic);
  check(soft_share >= 0 && soft_share <= 1, "rnn", "a soft_share of {}: expected 0 to 1", soft_share);
}

nlohmann::json to_json(const RnnOptions& options) { return options_to_json(options, "rnn"); }

RnnOptions rnn_options_from(const nlohmann::json& config) {
  const auto options = options_from_json<RnnOptions>(with_named_masks(config), "rnn");
  options.check();
  return options;
}

}  // namespace fovea::models
