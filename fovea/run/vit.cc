#include "fovea/run/vit.h"

#include <algorithm>

#include "fovea/autograd/convolution.h"
#include "fovea/autograd/tape.h"

namespace fovea::run {

Vit::Vit(const models::VitOptions& o, Weights& weights, Precision precision)
    : patch_size_(o.patch_size), patches_(o.patches()) {
  precision_ = precision;
  const nn::TransformerLayerOptions layer = models::layer_options(o);
  const Tensor first = weights.tensor("class_token.weight", {1, o.dim_model}),
               positions = weights.tensor("positions.weight", {1 + o.patches(), o.dim_model});
  first_ = Tensor::empty({o.dim_model});
  for (int64_t i = 0; i < o.dim_model; ++i)
    first_.data<float>()[i] = first.data<float>()[i] + positions.data<float>()[i];
  positions_ = positions.slice(1, 1 + o.patches()).copy();
  embed_ = Linear(weights.tensor("patches.weight", {o.dim_model, o.patch_size * o.patch_size * o.channels}),
                  weights.tensor("patches.bias", {o.dim_model}), precision);
  layers_ = Stack(weights, "layer.", o.enc_depth, layer, precision);
  norm_ = Norm(weights, "norm", o.dim_model, layer.norm);
  classifier_ = Linear(weights, "classifier", o.dim_model, static_cast<int64_t>(o.labels.size()), precision);
  held_ = layers_.held();
  for (const Linear* linear : {&embed_, &classifier_}) held_ += linear->held();
  info_ = {.input = o.input(),
           .width = o.dim_model,
           .labels = o.labels,
           .layers = o.enc_depth,
           .heads = o.heads,
           .grid = o.picture_size / o.patch_size};
}

Tensor Vit::states(const Tensor& pictures, const Stack::Looking& looking) const {
  const autograd::NoTape no_tape;
  const int64_t rows = pictures.dim(0), width = info_.width, length = 1 + patches_;
  const Tensor cut = autograd::patches(autograd::Var(pictures), patch_size_).value();
  const Tensor embedded = embed_(cut.reshape({rows * patches_, cut.dim(2)}));
  Tensor x = Tensor::empty({rows * length, width});
  std::vector<int32_t> starts = {0}, positions;
  for (int64_t b = 0; b < rows; ++b) {
    float* to = x.data<float>() + b * length * width;
    std::copy_n(first_.data<float>(), width, to);
    for (int64_t i = 0; i < patches_ * width; ++i)
      to[width + i] = embedded.data<float>()[b * patches_ * width + i] + positions_.data<float>()[i];
    for (int64_t i = 0; i < length; ++i) positions.push_back(static_cast<int32_t>(i));
    starts.push_back(static_cast<int32_t>((b + 1) * length));
  }
  layers_(x, {starts, positions}, {}, {}, looking);
  return x;
}

Tensor Vit::vectors(const Tensor& pictures) const {
  const Tensor x = states(pictures, {});
  std::vector<int32_t> first;
  for (int64_t b = 0; b < pictures.dim(0); ++b) first.push_back(static_cast<int32_t>(b * (1 + patches_)));
  Tensor vectors = chosen_rows(x, first);
  norm_(vectors, vectors);
  return vectors;
}

std::vector<Looked> Vit::looks(const Tensor& pictures, const LookAt& at) const {
  LookAt every = at;
  every.every_row = true;
  std::vector<Looked> looked(static_cast<size_t>(pictures.dim(0)));
  states(pictures, {&every, Site::kEncoder, {}, &looked});
  return looked;
}

}  // namespace fovea::run
