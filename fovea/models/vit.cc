#include "fovea/models/vit.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/models/label_cost.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/stored_names.h"
#include "fovea/nn/feed_forward.h"

namespace fovea::models {
namespace {

// Places where noise falls; each layer has its own after these.
struct VitNoise {
  static constexpr uint64_t kPatches = 1, kLayer = 8;
};

}  // namespace

nn::TransformerLayerOptions layer_options(const VitOptions& o) {
  nn::TransformerLayerOptions layer;
  layer.self.width = o.dim_model;
  layer.self.heads = o.heads;
  layer.self.joint = true;
  layer.self.bias = true;
  layer.self.dropout = static_cast<float>(o.dropout_attention);
  layer.feed_forward = {.width = o.dim_model, .hidden = o.dim_ffn, .activation = o.activation};
  layer.norm_first = true;
  layer.norm.eps = o.norm_eps;
  return layer;
}

Vit::Vit(const VitOptions& options, uint64_t seed) : options_(options), seed_(seed) {
  options_.check();
  const VitOptions& o = options_;
  Random random(seed, 1);
  const nn::NormOptions norm = layer_options(o).norm;
  const auto labels = static_cast<int64_t>(o.labels.size());
  patches_.emplace(o.channels, o.dim_model, o.patch_size, o.patch_bias, random);
  class_token_.emplace(1, o.dim_model, random);
  if (o.distilled) distillation_token_.emplace(1, o.dim_model, random);
  positions_.emplace(o.tokens(), o.dim_model, random);
  if (o.first_norm) first_norm_.emplace(o.dim_model, norm);
  for (int64_t i = 0; i < o.enc_depth; ++i)
    layers_.push_back(std::make_unique<nn::TransformerLayer>(layer_options(o), random));
  norm_.emplace(o.dim_model, norm);
  if (o.head != "none") classifier_.emplace(o.dim_model, labels, true, random);
  if (o.head == "teacher") teacher_classifier_.emplace(o.dim_model, labels, true, random);
  if (o.pooler) pooler_.emplace(o.dim_model, o.dim_model, true, random);
  if (o.projection > 0) projection_.emplace(o.dim_model, o.projection, false, random);
  for (nn::Parameter* parameter : parameters())  // as BERT's: normal with deviation 0.02
    if (parameter->value.rank() == 2) parameter->value = nn::normal(parameter->value.shape(), 0.02f, random);
}

nlohmann::json Vit::config() const { return to_json(options_); }

nn::ParameterList Vit::parameters() {
  nn::ParameterList list;
  collect("", list);
  return list;
}

void Vit::collect(const std::string& prefix, nn::ParameterList& list) {
  const auto add = [&](auto& part, const char* name) {
    if (part) part->collect(prefix + name, list);
  };
  add(patches_, "patches.");
  add(class_token_, "class_token.");
  add(distillation_token_, "distillation_token.");
  add(positions_, "positions.");
  add(first_norm_, "first_norm.");
  for (size_t i = 0; i < layers_.size(); ++i) add(layers_[i], fmt::format("layer.{}.", i).c_str());
  add(norm_, "norm.");
  add(classifier_, options_.head == "teacher" ? "cls_classifier." : "classifier.");
  add(teacher_classifier_, "teacher_classifier.");
  add(pooler_, "pooler.");
  add(projection_, "projection.");
}

std::vector<Stored> Vit::stored() {
  const Layout* layout = find_layout(options_.layout);
  std::vector<Stored> stored = stored_as(parameters(), layout, {options_.dim_model, options_.dim_model});
  if (options_.head == "none")  // a body alone is saved without the prefix
    for (Stored& one : stored) one.name = other_name(layout, one.name);
  return stored;
}

Cost Vit::cost(const data::Batch& batch, const CostOptions& options) {
  check(classifier_.has_value(), "vit", "a model without a head has nothing to learn: it needs labels");
  nn::Noise noise;
  if (options.training) noise = {static_cast<float>(options_.dropout), seed_, options.step};
  const int64_t rows = batch.pictures.dim(0), length = options_.tokens();
  const Tensor places = Tensor::empty({length}, DType::kI32);
  std::iota(places.data<int32_t>(), places.data<int32_t>() + length, 0);
  const Tensor one_each = Tensor::zeros({rows, 1}, DType::kI32);
  std::vector<Var> parts = {(*class_token_)(one_each)};
  if (distillation_token_) parts.push_back((*distillation_token_)(one_each));
  parts.push_back((*patches_)(Var(batch.pictures)));
  Var x = autograd::add(autograd::concat(parts, 1), (*positions_)(places));
  if (first_norm_) x = (*first_norm_)(x);
  x = noise.at(VitNoise::kPatches).on(x, 0);
  for (size_t i = 0; i < layers_.size(); ++i) {
    nn::TransformerCall call;
    call.training = options.training;
    call.step = options.step;
    call.noise = noise.at(VitNoise::kLayer + i);
    x = (*layers_[i])(x, call).out;
  }
  const auto vector = [&](int64_t token) {
    return (*norm_)(autograd::reshape(autograd::slice(x, 1, token, token + 1), {rows, options_.dim_model}));
  };
  Var scores = (*classifier_)(vector(0));
  if (teacher_classifier_)
    scores = autograd::scale(autograd::add(scores, (*teacher_classifier_)(vector(1))), 0.5);
  return cost_of_labels(scores, batch, options);
}

}  // namespace fovea::models
