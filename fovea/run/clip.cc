#include "fovea/run/clip.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/models/clip.h"

namespace fovea::run {

ClipText::ClipText(const models::ClipOptions& options, Weights& weights, Precision precision)
    : largest_id_ends_(options.text.largest_id_ends()), eos_(options.text.eos) {
  precision_ = precision;
  const models::ClipTextOptions& o = options.text;
  const nn::TransformerLayerOptions layer = models::layer_options(o);
  tokens_ = Embedding(weights, "text.embedding.weight", o.vocab, o.width);
  positions_ = Embedding(weights, "text.positions.weight", o.max_positions, o.width);
  layers_ = Stack(weights, "text.layer.", o.layers, layer, precision);
  norm_ = Norm(weights, "text.norm", o.width, layer.norm);
  projection_ = Linear(weights, "text.projection", o.width, options.projection, precision);
  held_ = layers_.held();
  held_ += projection_.held();
  info_ = {.vocab = o.vocab,
           .width = options.projection,
           .layers = o.layers,
           .heads = o.heads,
           .longest = o.max_positions,
           .labels = {}};
}

Tensor ClipText::states(std::span<const Text> texts, const LookAt* at, std::vector<Looked>* looked) const {
  std::vector<int32_t> ids, positions, starts = {0};
  for (const Text& text : texts) {
    const auto length = static_cast<int64_t>(text.ids.size());
    check(length > 0 && length <= info_.longest, "clip", "a text of {} tokens: this model reads 1 to {}",
          length, info_.longest);
    for (int32_t i = 0; i < static_cast<int32_t>(length); ++i) {
      const int32_t id = text.ids[static_cast<size_t>(i)];
      check(id >= 0 && id < info_.vocab, "clip", "token {}: expected 0 to {}", id, info_.vocab - 1);
      ids.push_back(id);
      positions.push_back(i);
    }
    starts.push_back(static_cast<int32_t>(ids.size()));
  }
  Tensor x = Tensor::empty({static_cast<int64_t>(ids.size()), tokens_.width()});
  tokens_.rows(ids, x.data<float>());
  positions_.add_rows(positions, x.data<float>());
  LookAt every;
  if (at) {
    every = *at;
    every.every_row = true;
  }
  if (looked) looked->assign(texts.size(), {});
  layers_(x, {starts, positions}, {}, {}, {at ? &every : nullptr, Site::kEncoder, {}, looked});
  norm_(x, x);
  return x;
}

Tensor ClipText::logits(std::span<const Text>, std::span<const int32_t>) const {
  fail("clip",
       "this model has no head: it makes hidden states and vectors, and no logits of tokens or labels");
}

int64_t ClipText::end_of(const Text& text) const {
  const auto found =
      largest_id_ends_ ? std::ranges::max_element(text.ids) : std::ranges::find(text.ids, eos_);
  return found == text.ids.end() ? 0 : found - text.ids.begin();
}

Tensor ClipText::embed(std::span<const Text> texts) const {
  const Tensor x = states(texts, nullptr, nullptr);
  std::vector<int32_t> rows;
  int64_t start = 0;
  for (const Text& text : texts) {
    rows.push_back(static_cast<int32_t>(start + end_of(text)));
    start += static_cast<int64_t>(text.ids.size());
  }
  return projection_(chosen_rows(x, rows));
}

Clip::Clip(const models::ClipOptions& options, Weights& weights, Precision precision)
    : texts_(options, weights, precision), pictures_(options.vision, weights, precision, "vision.") {
  precision_ = precision;
  held_ = texts_.held();
  held_ += pictures_.held();
  scale_ = static_cast<float>(std::exp(weights.tensor("logit_scale", {1}).item()));
  check(std::isfinite(scale_), "clip", "logit_scale is too large, or no number: its weights are damaged");
}

}  // namespace fovea::run
