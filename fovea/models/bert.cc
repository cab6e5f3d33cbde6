#include "fovea/models/bert.h"

#include <cmath>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/embedding.h"
#include "fovea/autograd/loss.h"
#include "fovea/autograd/matmul.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/spoken.h"
#include "fovea/models/stored_names.h"

namespace fovea::models {
namespace {

// Places where noise falls; each layer has its own after these.
constexpr uint64_t kWordNoise = 1, kHeadNoise = 2, kLayerNoise = 8;

nn::NormOptions norm_options(const BertOptions& o) { return {.kind = "layer", .eps = o.norm_eps}; }

// The words of a padded batch, one after the other.
struct Flat {
  Flat(const data::SourceBatch& source, const BertOptions& o) {
    const int64_t longest = o.max_positions - o.first_position, vocab = o.vocab;
    const int64_t B = source.ids.dim(0), S = source.ids.dim(1);
    starts.push_back(0);
    for (int64_t b = 0; b < B; ++b) starts.push_back(starts.back() + source.lengths.data<int32_t>()[b]);
    for (Tensor* to : {&ids, &positions, &segments}) *to = Tensor::empty({starts.back()}, DType::kI32);
    for (int64_t b = 0; b < B; ++b) {
      const int64_t length = source.lengths.data<int32_t>()[b];
      check(length <= longest, "bert", "a text of {} tokens: this model reads {} at the most", length,
            longest);
      for (int64_t s = 0; s < length; ++s) {
        const int64_t to = starts[static_cast<size_t>(b)] + s, from = b * S + s;
        const int32_t id = source.ids.data<int32_t>()[from];
        check(id >= 0 && id < vocab, "bert", "id {}: expected 0 to {}", id, vocab - 1);
        ids.data<int32_t>()[to] = id;
        positions.data<int32_t>()[to] = static_cast<int32_t>(s + o.first_position);
        segments.data<int32_t>()[to] = source.segments.defined() ? source.segments.data<int32_t>()[from] : 0;
      }
    }
  }
  std::vector<int32_t> starts;
  Tensor ids, positions, segments;
};

}  // namespace

nn::TransformerLayerOptions layer_options(const BertOptions& o) {
  nn::TransformerLayerOptions layer;
  layer.self.width = o.width;
  layer.self.heads = o.heads;
  layer.self.joint = true;
  layer.self.bias = true;
  layer.self.masks = o.enc_mask;
  layer.self.dropout = static_cast<float>(o.dropout_attention);
  layer.think = {.width = o.width, .hidden = o.dim_ffn, .activation = o.activation};
  layer.norm_first = false;
  layer.norm = norm_options(o);
  return layer;
}

Bert::Bert(const BertOptions& options, uint64_t seed) : options_(options), seed_(seed) {
  options_.check();
  const BertOptions& o = options_;
  Random random(seed, 1);
  words_.emplace(o.vocab, o.width, random);
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

nn::ParameterList Bert::parameters() {
  nn::ParameterList list;
  words_->collect("words.", list);
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

Encoder::Head Bert::head() const {
  if (options_.head == "words") return Head::kWords;
  if (options_.head == "labels") return Head::kLabels;
  return options_.head == "token_labels" ? Head::kTokenLabels : Head::kNone;
}

// As the pipelines of transformers have it.
Encoder::Labelling Bert::labelling() const {
  const std::string& type = options_.problem_type;
  if (options_.head != "labels") return Labelling::kOne;
  if (type == "regression") return Labelling::kNumber;
  const bool each = type == "multi_label_classification" || options_.labels.size() == 1;
  return each ? Labelling::kEach : Labelling::kOne;
}

Var Bert::rows_of(const Tensor& ids, const Tensor& positions, const Tensor& segments) {
  const Var x = autograd::add((*words_)(ids), (*positions_)(positions));
  return (*norm_)(segments_ ? autograd::add(x, (*segments_)(segments)) : x);
}

Var Bert::read(const data::SourceBatch& source, const nn::Noise& noise, bool training, LayerLooks* looks) {
  const int64_t B = source.ids.dim(0), S = source.ids.dim(1);
  const int64_t most = options_.max_positions - options_.first_position;
  check(S <= most, "bert", "a text of {} tokens: this model reads {} at the most", S, most);
  const Tensor positions = Tensor::empty({B, S}, DType::kI32);
  for (int64_t i = 0; i < B * S; ++i)
    positions.data<int32_t>()[i] = static_cast<int32_t>(options_.first_position + i % S);
  const Tensor segments = source.segments.defined() ? source.segments : Tensor::zeros({B, S}, DType::kI32);
  Var x = noise.at(kWordNoise).on(rows_of(source.ids, positions, segments), 0);
  for (size_t i = 0; i < layers_.size(); ++i) {
    nn::TransformerCall call;
    call.mask = nn::lengths(source.lengths);
    call.training = training;
    call.step = noise.step;
    call.noise = noise.at(kLayerNoise + i);
    if (looks) call.look = nn::Look{};
    nn::TransformerLayer::Result result = (*layers_[i])(x, call);
    x = result.out;
    if (looks) looks->push_back(std::move(result.seen));
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
    return (*classifier_)(noise.at(kHeadNoise)
                              .on(autograd::activate(options_.pooler_relu ? kernels::Activation::kRelu
                                                                          : kernels::Activation::kTanh,
                                                     (*pooler_)(rows)),
                                  0));
  return (*classifier_)(noise.at(kHeadNoise).on(rows, 0));
}

Cost Bert::cost(const data::Batch& batch, const CostOptions& options) {
  check(options_.head != "none", "bert",
        "a model without a head has nothing to learn: choose masked words or labels");
  nn::Noise noise;
  if (options.training) {
    weights_changed();
    noise = {static_cast<float>(options_.dropout), seed_, options.step};
  }
  const int64_t B = batch.source.ids.dim(0), S = batch.source.ids.dim(1);
  const Var states =
      autograd::reshape(read(batch.source, noise, options.training, nullptr), {B * S, options_.width});
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
  cost.total =
      options_.head == "words"
          ? autograd::linear_cross_entropy(made, words_->table(), autograd::watch(word_bias_), said.ids, loss)
          : autograd::cross_entropy(made, said.ids, loss);
  cost.cross_entropy = cost.total.value().item();
  return cost;
}

const std::vector<nn::ReadyLayer>& Bert::ready() {
  if (ready_.empty())
    for (const auto& layer : layers_) ready_.emplace_back(*layer, layer_options(options_), precision());
  return ready_;
}

Tensor Bert::states(const data::SourceBatch& source) {
  const autograd::NoTape off;
  const Flat flat(source, options_);
  if (!nn::ReadyLayer::possible(layer_options(options_))) {
    const int64_t S = source.ids.dim(1);
    const Tensor at = Tensor::empty({flat.ids.size()}, DType::kI32);
    int32_t* to = at.data<int32_t>();
    for (int64_t b = 0; b < source.ids.dim(0); ++b)
      for (int64_t s = 0; s < source.lengths.data<int32_t>()[b]; ++s) *to++ = static_cast<int32_t>(b * S + s);
    const Var padded = read(source, {}, false, nullptr);
    return autograd::embedding(autograd::reshape(padded, {source.ids.size(), options_.width}), at).value();
  }
  const Tensor x = rows_of(flat.ids, flat.positions, flat.segments).value();
  for (const nn::ReadyLayer& layer : ready()) layer.read(x, flat.starts, {}, nullptr);
  return x;
}

LayerLooks Bert::looks(const data::SourceBatch& source) {
  const autograd::NoTape off;
  LayerLooks looks;
  read(source, {}, false, &looks);
  return looks;
}

Tensor Bert::logits(const data::SourceBatch& source, const Tensor& chosen) {
  const autograd::NoTape off;
  check(options_.head != "none", "bert",
        "this model has no head: it makes states and vectors, and says no words or labels");
  const Var all = states(source);
  Tensor rows = chosen;
  if (options_.head == "labels") {
    rows = Tensor::empty({source.ids.dim(0)}, DType::kI32);
    int32_t start = 0;
    for (int64_t b = 0; b < rows.size(); ++b) {
      rows.data<int32_t>()[b] = start;
      start += source.lengths.data<int32_t>()[b];
    }
  }
  const Var made = scores(rows.defined() ? autograd::embedding(all, rows) : all, {});
  if (options_.head != "words") return made.value();
  return autograd::linear(made, words_->table(), autograd::watch(word_bias_)).value();
}

Tensor Bert::embed(const data::SourceBatch& source) {
  const Tensor rows = states(source);
  const int64_t B = source.ids.dim(0), E = options_.width;
  Tensor vectors = Tensor::zeros({B, E});
  const float* from = rows.data<float>();
  for (int64_t b = 0; b < B; ++b) {
    float* to = vectors.data<float>() + b * E;
    const int64_t length = source.lengths.data<int32_t>()[b], read = options_.pooling == "cls" ? 1 : length;
    for (int64_t s = 0; s < read; ++s)
      for (int64_t c = 0; c < E; ++c) to[c] += from[s * E + c];
    from += length * E;
    double square = 0;
    for (int64_t c = 0; c < E; ++c) {
      to[c] /= static_cast<float>(read);
      square += static_cast<double>(to[c]) * static_cast<double>(to[c]);
    }
    const double norm = std::max(std::sqrt(square), 1e-12);
    for (int64_t c = 0; options_.normalize && c < E; ++c) to[c] = static_cast<float>(to[c] / norm);
  }
  return vectors;
}

}  // namespace fovea::models
