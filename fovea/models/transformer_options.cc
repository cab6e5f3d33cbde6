#include "fovea/models/transformer_options.h"

#include "fovea/base/grouped.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/mask_options.h"
#include "fovea/models/options_json.h"
#include "fovea/nn/feed_forward.h"
#include "fovea/nn/scores/score.h"

namespace fovea::models {
namespace {}  // namespace

void check_fits_marian(const TransformerOptions& o) {
  const auto need = [](bool fits, std::string_view what) {
    check(fits, "transformer", "MarianMT has no room for this model: it would need {}", what);
  };
  need(o.norm == "post", "--norm post");
  need(o.positions == "sinusoidal", "--positions sinusoidal");
  need(o.tied_embeddings_all, "--tied-embeddings-all");
  need(o.enc_score == "scaled_dot" && o.dec_score == "scaled_dot" && o.cross_score == "scaled_dot",
       "the score scaled_dot everywhere");
  need(o.enc_mask == "none" && o.dec_mask == "none" && o.cross_mask == "none",
       "attention without --enc-mask, --dec-mask and --cross-mask");
}

int64_t TransformerOptions::longest() const {
  int64_t most = positions == "learned" || bounded ? max_positions : 0;
  for (const std::string* score : {&enc_score, &dec_score, &cross_score})
    if (*score == "location") most = most ? std::min(most, max_keys) : max_keys;
  return most > 0 ? most - 1 : 0;
}

double TransformerOptions::least_weights() const {
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double width = real(dim_model), attention = 4 * width * width,
               enc_feed_forward = 2 * width * real(dim_ffn),
               dec_feed_forward = 2 * width * real(dim_ffn_of(true));
  const double words =
      width * (real(target_vocab) * (tied() ? 1 : 2) + (tied_embeddings_all ? 0 : real(source_vocab)));
  return words + real(enc_depth) * (attention + enc_feed_forward) +
         real(dec_depth) * (2 * attention + dec_feed_forward);
}

void TransformerOptions::check() const {
  using fovea::check;
  constexpr int64_t kMostWords = std::numeric_limits<int32_t>::max(), kMost = 1 << 20;
  const auto within = [](const char* what, int64_t size, int64_t least, int64_t most) {
    check(size >= least && size <= most, "transformer", "{} {}: expected {} to {}", what, grouped(size),
          least, grouped(most));
  };
  within("source_vocab", source_vocab, 1, kMostWords);
  within("target_vocab", target_vocab, 1, kMostWords);
  within("dim_model", dim_model, 1, kMost);
  within("heads", heads, 1, kMost);
  within("dim_ffn", dim_ffn, 1, kMost);
  within("dec_heads", dec_heads, 0, kMost);
  within("dec_dim_ffn", dec_dim_ffn, 0, kMost);
  within("enc_depth", enc_depth, 1, 1000);
  within("dec_depth", dec_depth, 1, 1000);
  within("max_positions", max_positions, 1, kMost);
  within("max_keys", max_keys, 1, kMost);
  check_mask(enc_mask, nn::Place::kEncoder);
  check_mask(dec_mask, nn::Place::kDecoder);
  check_mask(cross_mask, nn::Place::kCross);
  check(
      !nn::MaskSpec(dec_mask).has("prefix"), "mask",
      "prefix in the decoder of a transformer: it writes from the first token on, and has no prompt to read");
  expect_one_of("transformer", "norm", norm, {"pre", "post"});
  expect_one_of("transformer", "positions", positions, {"sinusoidal", "learned", "rotary"});
  expect_one_of("transformer", "start", start, {"zero", "learned"});
  nn::activation_named(activation);
  for (const std::string* score : {&enc_score, &dec_score, &cross_score}) nn::score_named(*score);
  for (const int64_t count : {heads_of(false), heads_of(true)}) {
    check(dim_model % count == 0, "transformer", "dim_model {} does not divide into {} heads", dim_model,
          count);
    check(positions != "rotary" || dim_model / count % 2 == 0, "transformer",
          "rotary positions on heads of odd width {}", dim_model / count);
  }
  check(positions != "sinusoidal" || dim_model % 2 == 0, "transformer",
        "sinusoidal positions on an odd dim_model {}", dim_model);
  check(!tied_embeddings_all || source_vocab == target_vocab, "transformer",
        "tied_embeddings_all with vocabularies of {} and {}: expected one vocabulary for both sides",
        source_vocab, target_vocab);
  check_special_ids("transformer", source_ids, source_vocab, ids, target_vocab);
  for (const double rate : {dropout, dropout_attention, dropout_ffn, dropout_src, dropout_trg})
    check(rate >= 0 && rate < 1, "transformer", "a dropout of {}: expected 0 to below 1", rate);
  constexpr double kMostWeights = 2e9;  // a mistyped number is refused before it takes all memory
  check(least_weights() <= kMostWeights, "transformer",
        "about {:.3g} weights: expected {:.0g} at most; make the vocabularies or dim_model, dim_ffn, "
        "enc_depth, "
        "dec_depth smaller",
        least_weights(), kMostWeights);
}

nlohmann::json to_json(const TransformerOptions& options) {
  const Layout* layout = find_layout(options.layout);
  return layout ? config_of(*layout, options) : options_to_json(options, "transformer");
}

TransformerOptions transformer_options_from(const nlohmann::json& config) {
  const auto type = config.is_object() ? config.value("model_type", nlohmann::json()) : nlohmann::json();
  const Layout* layout = type.is_string() ? find_layout(type.get<std::string>()) : nullptr;
  auto options = layout ? options_of<TransformerOptions>(*layout, HfConfig(config, layout->model_type))
                        : options_from_json<TransformerOptions>(with_named_masks(config), "transformer");
  if (!config.contains("start")) options.start = "learned";  // as models were before there was a choice
  options.check();
  return options;
}

}  // namespace fovea::models
