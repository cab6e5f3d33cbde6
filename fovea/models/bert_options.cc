#include "fovea/models/bert_options.h"

#include <limits>

#include "fovea/base/grouped.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/mask_options.h"
#include "fovea/models/options_json.h"
#include "fovea/nn/feed_forward.h"

namespace fovea::models {
namespace {}  // namespace

double BertOptions::least_weights() const {
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double E = real(width);
  return E * (real(vocab) + real(max_positions) + static_cast<double>(labels.size())) +
         real(layers) * (4 * E * E + 2 * E * real(dim_ffn));
}

void BertOptions::check() const {
  using fovea::check;
  const auto within = [](const char* what, int64_t size, int64_t most) {
    check(size >= 1 && size <= most, "bert", "{} {}: expected 1 to {}", what, grouped(size), grouped(most));
  };
  constexpr int64_t kMost = 1 << 20;
  expect_one_of("bert", "layout", layout, layouts_of("bert"));
  within("a vocabulary of", vocab, std::numeric_limits<int32_t>::max());
  within("layers", layers, 1000);
  within("heads", heads, kMost);
  within("width", width, kMost);
  within("dim_ffn", dim_ffn, 4 * kMost);
  within("max_positions", max_positions, int64_t{1} << 24);
  check(segments >= 0 && segments <= 1000, "bert", "segments {}: expected 0 to 1,000", segments);
  check(first_position >= 0 && first_position < max_positions, "bert",
        "positions from {} on, and there are {}: expected room for a text", first_position, max_positions);
  check(width % heads == 0, "bert", "width {} does not divide into {} heads", width, heads);
  nn::activation_named(activation);
  expect_one_of("bert", "head", head, {"none", "words", "labels", "token_labels"});
  expect_one_of("bert", "pooling", pooling, {"mean", "cls"});
  if (!problem_type.empty())
    expect_one_of("bert", "problem_type", problem_type,
                  {"single_label_classification", "multi_label_classification", "regression"});
  check(max_seq_length >= 0, "bert", "max_seq_length {}: expected 1 or more", max_seq_length);
  check((head != "labels" && head != "token_labels") || !labels.empty(), "bert",
        "a head for labels without labels");
  check_mask(enc_mask, nn::Place::kEncoder);
  for (const double rate : {dropout, dropout_attention})
    check(rate >= 0 && rate < 1, "bert", "a dropout of {}: expected 0 to below 1", rate);
  constexpr double kMostWeights = 2e9;  // a mistyped number is refused before it takes all memory
  check(least_weights() <= kMostWeights, "bert",
        "about {:.3g} weights: expected {:.0g} at most; make it narrower or less deep", least_weights(),
        kMostWeights);
}

nlohmann::json to_json(const BertOptions& options) {
  return with_mask(config_of(*find_layout(options.layout), options), "enc_mask", options.enc_mask);
}

BertOptions bert_options_from(const nlohmann::json& json) {
  auto options = options_from_layout<BertOptions>(json, "bert");
  options.enc_mask = HfConfig(json, "bert").text("enc_mask", "none");
  options.check();
  return options;
}

}  // namespace fovea::models
