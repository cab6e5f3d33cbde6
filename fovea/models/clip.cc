#include "fovea/models/clip.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fovea/models/layouts/layout.h"
#include "fovea/models/stored_names.h"

namespace fovea::models {

nn::TransformerLayerOptions layer_options(const ClipTextOptions& o) {
  nn::TransformerLayerOptions layer;
  layer.self.width = o.width;
  layer.self.heads = o.heads;
  layer.self.joint = true;
  layer.self.bias = true;
  layer.self.place = nn::Place::kDecoder;
  layer.self.dropout = static_cast<float>(o.dropout_attention);
  layer.feed_forward = {.width = o.width, .hidden = o.dim_ffn, .activation = o.activation};
  layer.norm_first = true;
  layer.norm.eps = o.norm_eps;
  return layer;
}

Clip::Clip(const ClipOptions& options, uint64_t seed)
    : options_((options.check(), options)), vision_(options.vision, seed) {
  constexpr double kFirstScale = 2.6592;  // log(1 / 0.07)
  const ClipTextOptions& o = options_.text;
  Random random(seed, 2);
  embedding_.emplace(o.vocab, o.width, random);
  positions_.emplace(o.max_positions, o.width, random);
  for (int64_t i = 0; i < o.layers; ++i)
    layers_.push_back(std::make_unique<nn::TransformerLayer>(layer_options(o), random));
  norm_.emplace(o.width, layer_options(o).norm);
  projection_.emplace(o.width, options_.projection, false, random);
  logit_scale_.value = Tensor::full({1}, kFirstScale);
}

nlohmann::json Clip::config() const { return to_json(options_); }

nn::ParameterList Clip::parameters() {
  nn::ParameterList list;
  embedding_->collect("text.embedding.", list);
  positions_->collect("text.positions.", list);
  for (size_t i = 0; i < layers_.size(); ++i) layers_[i]->collect(fmt::format("text.layer.{}.", i), list);
  norm_->collect("text.norm.", list);
  projection_->collect("text.projection.", list);
  vision_.collect("vision.", list);
  logit_scale_.name = "logit_scale";
  list.push_back(&logit_scale_);
  return list;
}

std::vector<Stored> Clip::stored() {
  const nn::ParameterList all = parameters();
  // Queries and keys of texts and of pictures have their own widths.
  nn::ParameterList text, vision;
  for (nn::Parameter* parameter : all)
    (parameter->name.starts_with("vision.") ? vision : text).push_back(parameter);
  const ClipOptions& o = options_;
  std::vector<Stored> stored = stored_as(text, &layouts::kClip, {o.text.width, o.text.width});
  for (Stored& one : stored_as(vision, &layouts::kClip, {o.vision.dim_model, o.vision.dim_model}))
    stored.push_back(std::move(one));
  return stored;
}

Cost Clip::cost(const data::Batch&, const CostOptions&) {
  fail("clip", "a clip is not trained here: it is read from directories of Hugging Face");
}

}  // namespace fovea::models
