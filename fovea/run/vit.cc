#include "fovea/run/vit.h"

#include <algorithm>

#include "fovea/autograd/convolution.h"
#include "fovea/autograd/tape.h"
#include "fovea/models/vit.h"

namespace fovea::run {

Vit::Vit(const models::VitOptions& o, Weights& weights, Precision precision, const std::string& prefix)
    : patch_size_(o.patch_size), patches_(o.patches()), tokens_(o.tokens()), dim_model_(o.dim_model) {
  precision_ = precision;
  const nn::TransformerLayerOptions layer = models::layer_options(o);
  const int64_t width = o.dim_model, labels = static_cast<int64_t>(o.labels.size());
  const Tensor positions = weights.tensor(prefix + "positions.weight", {tokens_, width});
  first_ = positions.slice(0, o.first_tokens()).copy();
  const auto add_token = [&](const char* name, int64_t row) {
    const Tensor token = weights.tensor(prefix + name, {1, width});
    for (int64_t i = 0; i < width; ++i) first_.data<float>()[row * width + i] += token.data<float>()[i];
  };
  add_token("class_token.weight", 0);
  if (o.distilled) add_token("distillation_token.weight", 1);
  positions_ = positions.slice(o.first_tokens(), tokens_).copy();
  weights.set_patch_channels(o.channels);
  embed_ =
      Linear(weights.tensor(prefix + "patches.weight", {width, o.patch_size * o.patch_size * o.channels}),
             o.patch_bias ? weights.tensor(prefix + "patches.bias", {width}) : Tensor(), precision);
  if (o.first_norm) first_norm_ = Norm(weights, prefix + "first_norm", width, layer.norm);
  layers_ = Stack(weights, prefix + "layer.", o.enc_depth, layer, precision);
  norm_ = Norm(weights, prefix + "norm", width, layer.norm);
  if (o.head == "labels") classifier_ = Linear(weights, prefix + "classifier", width, labels, precision);
  if (o.head == "teacher") {
    classifier_ = Linear(weights, prefix + "cls_classifier", width, labels, precision);
    teacher_classifier_ = Linear(weights, prefix + "teacher_classifier", width, labels, precision);
  }
  if (o.projection > 0) projection_ = Linear(weights, prefix + "projection", width, o.projection, precision);
  if (o.pooler)
    for (const char* name : {"pooler.weight", "pooler.bias"}) weights.skip(prefix + name);
  held_ = layers_.held();
  for (const Linear* linear : {&embed_, &classifier_, &teacher_classifier_, &projection_})
    held_ += linear->held();
  info_ = {.input = o.input(),
           .width = o.projection > 0 ? o.projection : width,
           .labels = o.labels,
           .layers = o.enc_depth,
           .heads = o.heads,
           .grid = o.picture_size / o.patch_size,
           .first_tokens = o.first_tokens()};
}

Tensor Vit::tokens_of(const Tensor& pictures, const Stack::Looking& looking) const {
  const autograd::NoTape no_tape;
  const int64_t rows = pictures.dim(0), width = dim_model_, firsts = first_.size();
  const Tensor cut = autograd::patches(autograd::Var(pictures), patch_size_).value();
  const Tensor embedded = embed_(cut.reshape({rows * patches_, cut.dim(2)}));
  Tensor x = Tensor::empty({rows * tokens_, width});
  std::vector<int32_t> starts = {0}, positions;
  for (int64_t b = 0; b < rows; ++b) {
    float* to = std::copy_n(first_.data<float>(), firsts, x.data<float>() + b * tokens_ * width);
    for (int64_t i = 0; i < patches_ * width; ++i)
      to[i] = embedded.data<float>()[b * patches_ * width + i] + positions_.data<float>()[i];
    for (int64_t i = 0; i < tokens_; ++i) positions.push_back(static_cast<int32_t>(i));
    starts.push_back(static_cast<int32_t>((b + 1) * tokens_));
  }
  if (first_norm_.defined()) first_norm_(x, x);
  layers_(x, {starts, positions}, {}, {}, looking);
  return x;
}

Tensor Vit::token(const Tensor& x, int64_t number) const {
  std::vector<int32_t> rows;
  for (int64_t row = number; row < x.dim(0); row += tokens_) rows.push_back(static_cast<int32_t>(row));
  Tensor chosen = chosen_rows(x, rows);
  norm_(chosen, chosen);
  return chosen;
}

Tensor Vit::vectors(const Tensor& pictures) const {
  const Tensor first = token(tokens_of(pictures, {}), 0);
  return projection_.defined() ? projection_(first) : first;
}

Tensor Vit::scores(const Tensor& pictures) const {
  const Tensor x = tokens_of(pictures, {});
  Tensor scores = classifier_(token(x, 0));
  if (!teacher_classifier_.defined()) return scores;
  teacher_classifier_.add_to(scores, token(x, 1));
  for (float& score : scores.span<float>()) score /= 2;
  return scores;
}

Tensor Vit::last_states(const Tensor& pictures) const {
  const Tensor x = tokens_of(pictures, {});
  if (!first_norm_.defined()) norm_(x, x);  // CLIP's last norm is of the class token alone
  return x.reshape({pictures.dim(0), tokens_, dim_model_});
}

std::vector<Looked> Vit::looks(const Tensor& pictures, const LookAt& at) const {
  LookAt every = at;
  every.every_row = true;
  std::vector<Looked> looked(static_cast<size_t>(pictures.dim(0)));
  tokens_of(pictures, {&every, Site::kEncoder, {}, &looked});
  return looked;
}

}  // namespace fovea::run
