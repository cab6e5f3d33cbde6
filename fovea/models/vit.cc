#include "fovea/models/vit.h"

#include <fmt/format.h>

#include <numeric>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/models/label_cost.h"
#include "fovea/models/options_json.h"
#include "fovea/nn/feed_forward.h"

namespace fovea::models {
namespace {

// Places where noise falls; each layer has its own after these.
struct VitNoise {
  static constexpr uint64_t kPatches = 1, kLayer = 8;
};

}  // namespace

double VitOptions::least_weights() const {
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double width = real(dim_model);
  return real(enc_depth) * width * (4 * width + 2 * real(dim_ffn)) + width * real(patches()) +
         width * real(patch_size * patch_size * channels);
}

void VitOptions::check() const {
  constexpr int64_t kMost = 1 << 20;
  check_picture("vit");
  check_within("vit", "patch_size", patch_size, 1, picture_size);
  fovea::check(picture_size % patch_size == 0, "vit",
               "a picture_size of {} does not divide into patches with a patch_size of {}", picture_size,
               patch_size);
  check_within("vit", "enc_depth", enc_depth, 1, kMost);
  check_within("vit", "heads", heads, 1, kMost);
  check_within("vit", "dim_model", dim_model, 1, kMost);
  check_within("vit", "dim_ffn", dim_ffn, 1, kMost);
  fovea::check(dim_model % heads == 0, "vit", "dim_model {} does not divide into {} heads", dim_model, heads);
  nn::activation_named(activation);
  check_labels("vit", labels);
  check_weights("vit", least_weights(), "dim_model, dim_ffn or enc_depth");
  for (const double rate : {dropout, dropout_attention})
    fovea::check(rate >= 0 && rate < 1, "vit", "a dropout of {}: expected 0 to below 1", rate);
}

nlohmann::json to_json(const VitOptions& options) { return options_to_json(options, "vit"); }

VitOptions vit_options_from(const nlohmann::json& config) {
  const auto options = options_from_json<VitOptions>(config, "vit");
  options.check();
  return options;
}

nn::TransformerLayerOptions layer_options(const VitOptions& o) {
  nn::TransformerLayerOptions layer;
  layer.self.width = o.dim_model;
  layer.self.heads = o.heads;
  layer.self.joint = true;
  layer.self.bias = true;
  layer.self.dropout = static_cast<float>(o.dropout_attention);
  layer.feed_forward = {.width = o.dim_model, .hidden = o.dim_ffn, .activation = o.activation};
  layer.norm_first = true;
  return layer;
}

Vit::Vit(const VitOptions& options, uint64_t seed) : options_(options), seed_(seed) {
  options_.check();
  const VitOptions& o = options_;
  Random random(seed, 1);
  patches_.emplace(o.channels, o.dim_model, o.patch_size, true, random);
  class_token_.emplace(1, o.dim_model, random);
  positions_.emplace(1 + o.patches(), o.dim_model, random);
  for (int64_t i = 0; i < o.enc_depth; ++i)
    layers_.push_back(std::make_unique<nn::TransformerLayer>(layer_options(o), random));
  norm_.emplace(o.dim_model, nn::NormOptions());
  classifier_.emplace(o.dim_model, static_cast<int64_t>(o.labels.size()), true, random);
  for (nn::Parameter* parameter : parameters())  // as BERT's: normal with deviation 0.02
    if (parameter->value.rank() == 2) parameter->value = nn::normal(parameter->value.shape(), 0.02f, random);
}

nlohmann::json Vit::config() const { return to_json(options_); }

nn::ParameterList Vit::parameters() {
  nn::ParameterList list;
  patches_->collect("patches.", list);
  class_token_->collect("class_token.", list);
  positions_->collect("positions.", list);
  for (size_t i = 0; i < layers_.size(); ++i) layers_[i]->collect(fmt::format("layer.{}.", i), list);
  norm_->collect("norm.", list);
  classifier_->collect("classifier.", list);
  return list;
}

Cost Vit::cost(const data::Batch& batch, const CostOptions& options) {
  nn::Noise noise;
  if (options.training) noise = {static_cast<float>(options_.dropout), seed_, options.step};
  const int64_t rows = batch.pictures.dim(0), length = 1 + options_.patches();
  const Tensor places = Tensor::empty({length}, DType::kI32);
  std::iota(places.data<int32_t>(), places.data<int32_t>() + length, 0);
  const Var first = (*class_token_)(Tensor::zeros({rows, 1}, DType::kI32));
  Var x = autograd::concat({first, (*patches_)(Var(batch.pictures))}, 1);
  x = noise.at(VitNoise::kPatches).on(autograd::add(x, (*positions_)(places)), 0);
  for (size_t i = 0; i < layers_.size(); ++i) {
    nn::TransformerCall call;
    call.training = options.training;
    call.step = options.step;
    call.noise = noise.at(VitNoise::kLayer + i);
    x = (*layers_[i])(x, call).out;
  }
  const Var vector = autograd::reshape(autograd::slice(x, 1, 0, 1), {rows, options_.dim_model});
  return cost_of_labels((*classifier_)((*norm_)(vector)), batch, options);
}

}  // namespace fovea::models
