#include "fovea/models/bert.h"

#include <nlohmann/json.hpp>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/embedding.h"
#include "fovea/autograd/loss.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/spoken.h"
#include "fovea/models/stored_names.h"

namespace fovea::models {
namespace {

// Places where noise falls; each layer has its own after these.
struct BertNoise {
  static constexpr uint64_t kWord = 1, kHead = 2, kLayer = 8;
};

nn::NormOptions norm_options(const BertOptions& o) { return {.kind = "layer", .eps = o.norm_eps}; }

}  // namespace

nn::TransformerLayerOptions layer_options(const BertOptions& o) {
  nn::TransformerLayerOptions layer;
  layer.self.width = o.width;
  layer.self.heads = o.heads;
  layer.self.joint = true;
  layer.self.bias = true;
  layer.self.masks = o.enc_mask;
  layer.self.dropout = static_cast<float>(o.dropout_attention);
  layer.feed_forward = {.width = o.width, .hidden = o.dim_ffn, .activation = o.activation};
  layer.norm_first = false;
  layer.norm = norm_options(o);
  return layer;
}

Bert::Bert(const BertOptions& options, uint64_t seed) : options_(options), seed_(seed) {
  options_.check();
  const BertOptions& o = options_;
  Random random(seed, 1);
  embedding_.emplace(o.vocab, o.width, random);
  positions_.emplace(o.max_positions, o.width, random);
  if (o.segments > 0) segments_.emplace(o.segments, o.width, random);
  norm_.emplace(o.width, norm_options(o));
  for (int64_t i = 0; i < o.layers; ++i)
    layers_.push_back(std::make_unique<nn::TransformerLayer>(layer_options(o), random));
  if (o.pooler) pooler_.emplace(o.width, o.width, true, random);
  if (o.head == "words") {
    transform_.emplace(o.width, o.width, true, random);
    transform_norm_.emplace(o.width, norm_options(o));
    word_bias_.value = Tensor::zeros({o.vocab});
  }
  if (!o.labels.empty()) classifier_.emplace(o.width, static_cast<int64_t>(o.labels.size()), true, random);
  draw_first_weights(random);
}

// BERT's: normal with deviation 0.02.
void Bert::draw_first_weights(Random& random) {
  for (nn::Parameter* parameter : parameters())
    if (parameter->value.rank() == 2) parameter->value = nn::normal(parameter->value.shape(), 0.02f, random);
}

nlohmann::json Bert::config() const { return to_json(options_); }

nn::ParameterList Bert::parameters() {
  nn::ParameterList list;
  embedding_->collect("embedding.", list);
  positions_->collect("positions.", list);
  if (segments_) segments_->collect("segments.", list);
  norm_->collect("norm.", list);
  for (size_t i = 0; i < layers_.size(); ++i) layers_[i]->collect(fmt::format("layer.{}.", i), list);
  if (pooler_) pooler_->collect("pooler.", list);
  if (transform_) transform_->collect("head.transform.", list);
  if (transform_norm_) transform_norm_->collect("head.norm.", list);
  if (word_bias_.value.defined()) {
    word_bias_.name = "head.bias";
    list.push_back(&word_bias_);
  }
  if (classifier_)
    classifier_->collect(options_.head == "labels" ? "head.labels." : "head.token_labels.", list);
  return list;
}

std::vector<Stored> Bert::stored() {
  const Layout* layout = find_layout(options_.layout);
  std::vector<Stored> stored = stored_as(parameters(), layout, {options_.width, options_.width});
  if (options_.head == "none")  // a body alone is saved without the prefix
    for (Stored& one : stored) one.name = other_name(layout, one.name);
  return stored;
}

Var Bert::read(const data::SourceBatch& source, const nn::Noise& noise, bool training) {
  const int64_t B = source.ids.dim(0), S = source.ids.dim(1);
  const int64_t most = options_.max_positions - options_.first_position;
  check(S <= most, "bert", "a text of {} tokens: this model reads {} at the most", S, most);
  const Tensor positions = Tensor::empty({B, S}, DType::kI32);
  for (int64_t i = 0; i < B * S; ++i)
    positions.data<int32_t>()[i] = static_cast<int32_t>(options_.first_position + i % S);
  const Tensor segments = source.segments.defined() ? source.segments : Tensor::zeros({B, S}, DType::kI32);
  Var words = autograd::add((*embedding_)(source.ids), (*positions_)(positions));
  if (segments_) words = autograd::add(words, (*segments_)(segments));
  Var x = noise.at(BertNoise::kWord).on((*norm_)(words), 0);
  for (size_t i = 0; i < layers_.size(); ++i) {
    nn::TransformerCall call;
    call.mask = nn::lengths(source.lengths);
    call.training = training;
    call.step = noise.step;
    call.noise = noise.at(BertNoise::kLayer + i);
    x = (*layers_[i])(x, call).out;
  }
  return x;
}

Var Bert::scores(const Var& rows, const nn::Noise& noise) {
  if (options_.head == "words") {
    const Var h = autograd::activate(nn::activation_named(options_.activation), (*transform_)(rows));
    return (*transform_norm_)(
        h);  // the output layer is left to the caller: it may want few rows of it, or only the loss
  }
  if (options_.head == "labels")
    return (*classifier_)(noise.at(BertNoise::kHead)
                              .on(autograd::activate(options_.pooler_relu ? kernels::Activation::kRelu
                                                                          : kernels::Activation::kTanh,
                                                     (*pooler_)(rows)),
                                  0));
  return (*classifier_)(noise.at(BertNoise::kHead).on(rows, 0));
}

Cost Bert::cost(const data::Batch& batch, const CostOptions& options) {
  check(options_.head != "none", "bert",
        "a model without a head has nothing to learn: choose masked words or labels");
  nn::Noise noise;
  if (options.training) noise = {static_cast<float>(options_.dropout), seed_, options.step};
  const int64_t B = batch.source.ids.dim(0), S = batch.source.ids.dim(1);
  const Var states = autograd::reshape(read(batch.source, noise, options.training), {B * S, options_.width});
  const SpokenWords said(batch.target_out);
  Tensor at = said.at;
  if (options_.head == "labels")  // row b of target_out is about [CLS] of sentence b
    for (int32_t& place : at.span<int32_t>()) place *= static_cast<int32_t>(S);
  const Var rows = autograd::embedding(states, at);
  CrossEntropyOptions loss;
  loss.label_smoothing = options.label_smoothing;
  loss.reduction = Reduction::kSum;
  Cost cost;
  cost.tokens = said.ids.size();
  const Var made = scores(rows, noise);
  cost.total = options_.head == "words"
                   ? autograd::linear_cross_entropy(made, embedding_->table(), autograd::watch(word_bias_),
                                                    said.ids, loss)
                   : autograd::cross_entropy(made, said.ids, loss);
  cost.cross_entropy = cost.total.value().item();
  return cost;
}

}  // namespace fovea::models
