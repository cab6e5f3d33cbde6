#include "fovea/models/gpt_options.h"

#include <limits>

#include "fovea/base/grouped.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/mask_options.h"
#include "fovea/models/options_json.h"
#include "fovea/nn/feed_forward.h"

namespace fovea::models {
namespace {}  // namespace

int64_t GptOptions::hidden() const {
  if (dim_ffn > 0) return dim_ffn;
  return gated ? (8 * n_embd / 3 + 31) / 32 * 32 : 4 * n_embd;
}

double GptOptions::least_weights() const {
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double width = real(n_embd);
  const double keys = n_kv_head > 0 && n_head > 0 ? real(n_kv_head) / real(n_head) : 1;
  const double layer = (2 + 2 * keys) * width * width + (gated ? 3 : 2) * width * real(hidden());
  return width * real(vocab) * (tied ? 1 : 2) + (rotary() ? 0 : width * real(block_size)) +
         real(n_layer) * layer;
}

void GptOptions::check() const {
  using fovea::check;
  const auto within = [](const char* what, int64_t size, int64_t most) {
    check(size >= 1 && size <= most, "gpt", "{} {}: expected 1 to {}", what, grouped(size), grouped(most));
  };
  constexpr int64_t kMost = 1 << 20;
  expect_one_of("gpt", "layout", layout, layouts_of("gpt"));
  expect_one_of("gpt", "norm", norm, {"layer", "rms"});
  expect_one_of("gpt", "positions", positions, {"learned", "rotary"});
  within("a vocabulary of", vocab, std::numeric_limits<int32_t>::max());
  within("n_layer", n_layer, 1000);
  within("n_head", n_head, kMost);
  within("n_embd", n_embd, kMost);
  within("dim_ffn", hidden(), 4 * kMost);
  within("block_size", block_size, int64_t{1} << 24);
  check(n_embd % n_head == 0, "gpt", "n_embd {} does not divide into {} heads", n_embd, n_head);
  check(n_kv_head >= 0 && (n_kv_head == 0 || n_head % n_kv_head == 0), "gpt",
        "{} heads and {} key/value heads: expected one to divide the other", n_head, n_kv_head);
  check(!rotary() || n_embd / n_head % 2 == 0, "gpt", "rotary positions on heads of odd width {}",
        n_embd / n_head);
  check(rotary() || n_kv_head == 0 || n_kv_head == n_head, "gpt",
        "{} key/value heads for {} heads: the layout {} does not share keys", n_kv_head, n_head, layout);
  nn::activation_named(activation);
  check_mask(dec_mask, nn::Place::kDecoder);
  check(dropout >= 0 && dropout < 1, "gpt", "a dropout of {}: expected 0 to below 1", dropout);
  check(norm_eps >= 0 && norm_eps <= 1 && rope_base >= 1, "gpt",
        "norm_eps {} or rope_base {} is out of range", norm_eps, rope_base);
  constexpr double kMostWeights = 2e10;  // a mistyped number is refused before it takes all memory
  check(least_weights() <= kMostWeights, "gpt",
        "about {:.3g} weights: expected {:.0g} at most; make n_embd or n_layer smaller", least_weights(),
        kMostWeights);
}

GptOptions gpt_defaults(const std::string& layout) {
  expect_one_of("gpt", "layout", layout, layouts_of("gpt"));
  GptOptions options;
  fix_options(*find_layout(layout), options);
  return options;
}

nlohmann::json to_json(const GptOptions& options) {
  return with_mask(config_of(*find_layout(options.layout), options), "dec_mask", options.dec_mask);
}

GptOptions gpt_options_from(const nlohmann::json& json) {
  auto options = options_from_layout<GptOptions>(json, "gpt");
  options.dec_mask = HfConfig(json, "gpt").text("dec_mask", "none");
  options.check();
  return options;
}

}  // namespace fovea::models
