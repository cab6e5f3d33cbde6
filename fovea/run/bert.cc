#include "fovea/run/bert.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/kernels/activations.h"
#include "fovea/models/bert.h"

namespace fovea::run {
namespace {

Head head_of(const std::string& name) {
  if (name == "words") return Head::kTokens;
  if (name == "labels") return Head::kLabels;
  return name == "token_labels" ? Head::kTokenLabels : Head::kNone;
}

// As the pipelines of transformers have it.
Labelling labelling_of(const models::BertOptions& o) {
  if (o.head != "labels") return Labelling::kOne;
  if (o.problem_type == "regression") return Labelling::kNumber;
  const bool each = o.problem_type == "multi_label_classification" || o.labels.size() == 1;
  return each ? Labelling::kEach : Labelling::kOne;
}

}  // namespace

Bert::Bert(const models::BertOptions& o, Weights& weights, Precision precision)
    : cls_pooling_(o.pooling == "cls"),
      normalize_(o.normalize),
      pooler_relu_(o.pooler_relu),
      segment_count_(o.segments),
      first_position_(o.first_position),
      activation_(nn::activation_named(o.activation)) {
  precision_ = precision;
  tokens_ = Embedding(weights, "embedding.weight", o.vocab, o.width);
  positions_ = Embedding(weights, "positions.weight", o.max_positions, o.width);
  if (o.segments > 0) segments_ = Embedding(weights, "segments.weight", o.segments, o.width);
  const nn::TransformerLayerOptions layer = models::layer_options(o);
  norm_ = Norm(weights, "norm", o.width, layer.norm);
  layers_ = Stack(weights, "layer.", o.layers, layer, precision);
  if (o.head == "labels") {
    pooler_ = Linear(weights, "pooler", o.width, o.width, precision);
  } else if (o.pooler) {
    weights.skip("pooler.weight");
    weights.skip("pooler.bias");
  }
  if (o.head == "words") {
    transform_ = Linear(weights, "head.transform", o.width, o.width, precision);
    head_norm_ = Norm(weights, "head.norm", o.width, layer.norm);
    output_ = Linear(weights, "embedding.weight", "head.bias", o.width, o.vocab, precision);
  } else if (!o.labels.empty()) {
    output_ = Linear(weights, o.head == "labels" ? "head.labels" : "head.token_labels", o.width,
                     static_cast<int64_t>(o.labels.size()), precision);
  }
  held_ = layers_.held();
  for (const Linear* linear : {&pooler_, &transform_, &output_}) held_ += linear->held();
  info_ = {.vocab = o.vocab,
           .width = o.width,
           .layers = o.layers,
           .heads = o.heads,
           .longest = o.longest(),
           .head = head_of(o.head),
           .labelling = labelling_of(o),
           .labels = o.labels};
}

Tensor Bert::states(std::span<const Text> texts, const LookAt* at, std::vector<Looked>* looked) const {
  std::vector<int32_t> ids, positions, places, segments, starts = {0};
  for (const Text& text : texts) {
    const auto length = static_cast<int64_t>(text.ids.size());
    check(length > 0 && length <= info_.longest, "bert", "a text of {} tokens: this model reads 1 to {}",
          length, info_.longest);
    for (size_t i = 0; i < text.ids.size(); ++i) {
      const int32_t segment = text.segments.empty() ? 0 : text.segments[i];
      check(text.ids[i] >= 0 && text.ids[i] < info_.vocab, "bert", "token {}: expected 0 to {}", text.ids[i],
            info_.vocab - 1);
      check(segment >= 0 && segment < std::max<int64_t>(1, segment_count_), "bert",
            "segment {}: expected 0 to {}", segment, std::max<int64_t>(1, segment_count_) - 1);
      ids.push_back(text.ids[i]);
      positions.push_back(static_cast<int32_t>(i));
      places.push_back(static_cast<int32_t>(static_cast<int64_t>(i) + first_position_));
      segments.push_back(segment);
    }
    starts.push_back(static_cast<int32_t>(ids.size()));
  }
  Tensor x = Tensor::empty({static_cast<int64_t>(ids.size()), info_.width});
  tokens_.rows(ids, x.data<float>());
  positions_.add_rows(places, x.data<float>());
  if (segment_count_ > 0) segments_.add_rows(segments, x.data<float>());
  norm_(x, x);
  LookAt every;
  if (at) {
    every = *at;
    every.every_row = true;
  }
  if (looked) looked->assign(texts.size(), {});
  layers_(x, {starts, positions}, {}, {}, {at ? &every : nullptr, Site::kEncoder, {}, looked});
  return x;
}

Tensor Bert::logits(std::span<const Text> texts, std::span<const int32_t> rows) const {
  check(info_.head != Head::kNone, "bert",
        "this model has no head: it makes hidden states and vectors, and no logits of tokens or labels");
  Tensor x = states(texts, nullptr, nullptr);
  if (info_.head == Head::kLabels) {
    std::vector<int32_t> first;
    int32_t start = 0;
    for (const Text& text : texts) {
      first.push_back(start);
      start += static_cast<int32_t>(text.ids.size());
    }
    x = pooler_(chosen_rows(x, first));
    kernels::activate(pooler_relu_ ? kernels::Activation::kRelu : kernels::Activation::kTanh, x.data<float>(),
                      x.data<float>(), x.size());
  } else if (!rows.empty()) {
    x = chosen_rows(x, rows);
  }
  if (info_.head == Head::kTokens) {
    x = transform_(x);
    kernels::activate(activation_, x.data<float>(), x.data<float>(), x.size());
    head_norm_(x, x);
  }
  return output_(x);
}

Tensor Bert::embed(std::span<const Text> texts) const {
  const Tensor rows = states(texts, nullptr, nullptr);
  const int64_t width = info_.width;
  Tensor vectors = Tensor::zeros({static_cast<int64_t>(texts.size()), width});
  const float* from = rows.data<float>();
  float* to = vectors.data<float>();
  for (const Text& text : texts) {
    const auto length = static_cast<int64_t>(text.ids.size()), read = cls_pooling_ ? 1 : length;
    for (int64_t s = 0; s < read; ++s)
      for (int64_t c = 0; c < width; ++c) to[c] += from[s * width + c];
    double square = 0;
    for (int64_t c = 0; c < width; ++c) {
      to[c] /= static_cast<float>(read);
      square += static_cast<double>(to[c]) * static_cast<double>(to[c]);
    }
    const double norm = std::max(std::sqrt(square), 1e-12);
    for (int64_t c = 0; normalize_ && c < width; ++c) to[c] = static_cast<float>(to[c] / norm);
    from += length * width;
    to += width;
  }
  return vectors;
}

}  // namespace fovea::run
