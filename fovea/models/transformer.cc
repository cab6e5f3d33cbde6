#include "fovea/models/transformer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/embedding.h"
#include "fovea/autograd/loss.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/spoken.h"
#include "fovea/models/stored_names.h"
#include "fovea/tensor/positions.h"

namespace fovea::models {
namespace {

// Places where noise falls; each layer has its own after these.
struct TransformerNoise {
  static constexpr uint64_t kSource = 1, kTarget = 2, kSourceWords = 3, kTargetWords = 4, kEncoder = 8,
                            kDecoder = 1024;
};

}  // namespace

nn::TransformerLayerOptions layer_options(const TransformerOptions& o, bool decoder) {
  nn::TransformerLayerOptions layer;
  layer.self.width = o.dim_model;
  layer.self.heads = o.heads_of(decoder);
  layer.self.bias = true;
  layer.self.joint = true;
  layer.self.max_keys = o.max_keys;
  layer.self.dropout = static_cast<float>(o.dropout_attention);
  if (decoder) {
    layer.cross = layer.self;
    layer.cross->joint = false;
    layer.cross->score = o.cross_score;
    layer.cross->masks = o.cross_mask;
    layer.cross->place = nn::Place::kCross;
  }
  layer.self.score = decoder ? o.dec_score : o.enc_score;
  layer.self.rotary = o.positions == "rotary";
  layer.self.masks = decoder ? o.dec_mask : o.enc_mask;
  layer.self.place = decoder ? nn::Place::kDecoder : nn::Place::kEncoder;
  layer.feed_forward = {.width = o.dim_model, .hidden = o.dim_ffn_of(decoder), .activation = o.activation};
  layer.norm_first = o.norm == "pre";
  return layer;
}

Transformer::Transformer(const TransformerOptions& options, uint64_t seed) : options_(options), seed_(seed) {
  options_.check();
  const TransformerOptions& o = options_;
  Random random(seed, 1);
  if (!o.tied_embeddings_all) source_embedding_.emplace(o.source_vocab, o.dim_model, random);
  target_embedding_.emplace(o.target_vocab, o.dim_model, random);
  if (o.positions == "learned") {
    source_positions_.value = nn::normal({o.max_positions, o.dim_model}, 0.02f, random);
    target_positions_.value = nn::normal({o.max_positions, o.dim_model}, 0.02f, random);
  }
  const auto stack = [&](Layers& layers, int64_t depth, bool decoder) {
    for (int64_t i = 0; i < depth; ++i)
      layers.push_back(std::make_unique<nn::TransformerLayer>(layer_options(o, decoder), random));
  };
  stack(encoder_, o.enc_depth, false);
  stack(decoder_, o.dec_depth, true);
  if (o.norm == "pre") {
    encoder_norm_.emplace(o.dim_model, nn::NormOptions{});
    decoder_norm_.emplace(o.dim_model, nn::NormOptions{});
  }
  if (o.tied())
    output_bias_.value = Tensor::zeros({o.target_vocab});
  else
    output_.emplace(o.dim_model, o.target_vocab, true, random);
}

nlohmann::json Transformer::config() const { return to_json(options_); }

nn::ParameterList Transformer::parameters() {
  nn::ParameterList list;
  const auto add = [&](nn::Parameter& parameter, const char* name) {
    if (!parameter.value.defined()) return;
    parameter.name = name;
    list.push_back(&parameter);
  };
  if (source_embedding_) source_embedding_->collect("source_embedding.", list);
  target_embedding_->collect(options_.tied_embeddings_all ? "embedding." : "target_embedding.", list);
  add(source_positions_, "source_positions.weight");
  add(target_positions_, "target_positions.weight");
  for (size_t i = 0; i < encoder_.size(); ++i) encoder_[i]->collect(fmt::format("encoder.{}.", i), list);
  if (encoder_norm_) encoder_norm_->collect("encoder.norm.", list);
  for (size_t i = 0; i < decoder_.size(); ++i) decoder_[i]->collect(fmt::format("decoder.{}.", i), list);
  if (decoder_norm_) decoder_norm_->collect("decoder.norm.", list);
  if (output_) output_->collect("output.", list);
  add(output_bias_, "output.bias");
  return list;
}

Var Transformer::read_source(const Tensor& ids, const Request& request) {
  const Var words = source_embedding_ ? (*source_embedding_)(ids) : (*target_embedding_)(ids);
  return place(request.source_words.on_rows(words, 0), source_positions_);
}

Var Transformer::read_target(const Tensor& ids, const Request& request) {
  Var words = request.target_words.on_rows((*target_embedding_)(ids), 0);
  if (options_.starts_from_zero()) {
    const Tensor keep = Tensor::full({ids.dim(1), 1}, 1);
    keep.data<float>()[0] = 0;
    words = autograd::mul(words, keep);
  }
  return place(std::move(words), target_positions_);
}

Var Transformer::place(Var words, nn::Parameter& learned) {
  const int64_t end = words.dim(1), width = options_.dim_model;
  check(options_.longest() == 0 || end <= options_.longest() + 1, "transformer",
        "a sequence of {} tokens: this model reads {} at the most", end - 1, options_.longest());
  const Var x =
      options_.scale_embeddings ? autograd::scale(words, std::sqrt(static_cast<double>(width))) : words;
  if (options_.positions == "rotary") return x;
  if (options_.positions == "learned")
    return autograd::add(x, autograd::slice(autograd::watch(learned), 0, 0, end));
  return autograd::add(x, Var(tensor::sinusoidal_positions(end, width, 0, tensor::Sines::kHalves)));
}

nn::TransformerCall Transformer::call(const Request& request, uint64_t layer) const {
  nn::TransformerCall call;
  call.training = request.training;
  call.step = request.noise.step;
  call.noise = request.noise.at(layer);
  call.hidden_noise = request.hidden_noise.at(layer);
  call.hidden_noise.seed += nn::Noise::kPlaces / 2;
  return call;
}

Transformer::Encoded Transformer::encode(const data::SourceBatch& source, const Request& request) {
  Var x = request.noise.at(TransformerNoise::kSource).on(read_source(source.ids, request), 0);
  for (size_t i = 0; i < encoder_.size(); ++i) {
    nn::TransformerCall how = call(request, TransformerNoise::kEncoder + i);
    how.mask = nn::lengths(source.lengths);
    x = (*encoder_[i])(x, how).out;
  }
  if (encoder_norm_) x = (*encoder_norm_)(x);
  Encoded encoded;
  encoded.lengths = source.lengths;
  for (const auto& layer : decoder_) encoded.cross.push_back(layer->cross().keys_values(x, x));
  return encoded;
}

Transformer::Taught Transformer::teach(const data::Batch& batch, const Encoded& encoded,
                                       const Request& request) {
  Var x = request.noise.at(TransformerNoise::kTarget).on(read_target(batch.target_in, request), 0);
  Taught taught;
  for (size_t i = 0; i < decoder_.size(); ++i) {
    nn::TransformerCall how = call(request, TransformerNoise::kDecoder + i);
    how.cross = &encoded.cross[i];
    how.cross_mask = nn::lengths(encoded.lengths);
    const bool last = i + 1 == decoder_.size();
    how.want_scores = last && request.want_scores;
    nn::TransformerLayer::Result result = (*decoder_[i])(x, how);
    x = result.out;
    if (how.want_scores) taught.scores = result.cross_scores;
  }
  taught.outputs = decoder_norm_ ? (*decoder_norm_)(x) : x;
  return taught;
}

Cost Transformer::cost(const data::Batch& batch, const CostOptions& options) {
  Request request;
  request.training = options.training;
  if (options.training) {
    const auto noise = [&](double rate) { return nn::Noise{static_cast<float>(rate), seed_, options.step}; };
    request.noise = noise(options_.dropout);
    request.hidden_noise = noise(options_.dropout_ffn);
    request.source_words = noise(options_.dropout_src).at(TransformerNoise::kSourceWords);
    request.target_words = noise(options_.dropout_trg).at(TransformerNoise::kTargetWords);
  }
  const bool guided = options.guided > 0 && batch.alignment.defined();
  request.want_scores = guided;
  const Taught taught = teach(batch, encode(batch.source, request), request);

  Cost cost;
  cost.tokens = batch.target_tokens;
  CrossEntropyOptions loss;
  loss.label_smoothing = options.label_smoothing;
  loss.ignore_index = data::kIgnore;
  loss.reduction = Reduction::kSum;
  const SpokenWords words(batch.target_out);
  const Var rows = autograd::reshape(taught.outputs, {batch.target_out.size(), options_.dim_model});
  const Var spoken = words.at.size() < batch.target_out.size() ? autograd::embedding(rows, words.at) : rows;
  cost.total = autograd::linear_cross_entropy(spoken, output_weight(), output_bias(), words.ids, loss);
  cost.cross_entropy = cost.total.value().item();
  if (guided)
    cost.total = autograd::add(cost.total, guided_cost(batch.alignment, taught.scores, options.guided));
  return cost;
}

std::vector<Stored> Transformer::stored() {
  return stored_as(parameters(), find_layout(options_.layout), {options_.dim_model, options_.dim_model});
}

}  // namespace fovea::models
