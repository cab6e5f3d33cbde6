#include "fovea/models/gpt.h"

#include <cmath>
#include <nlohmann/json.hpp>

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
struct GptNoise {
  static constexpr uint64_t kWord = 1, kLayer = 8;
};

nn::NormOptions norm_options(const GptOptions& o) {
  return {.kind = o.norm, .eps = o.norm_eps, .bias = o.bias};
}

// A file has biases even where the model has none.
void add_zero_biases(std::vector<Stored>& stored) {
  std::vector<Stored> zeros;
  for (const Stored& one : stored) {
    const bool norm = one.name.find(".ln_") != std::string::npos,
               product = one.name.find(".c_") != std::string::npos;
    if (!norm && !product) continue;
    const std::string stem = one.name.substr(0, one.name.size() - std::string_view("weight").size());
    zeros.push_back({.name = stem + "bias", .tensor = Tensor::zeros({one.tensor.dim(0)}), .zero = true});
  }
  stored.insert(stored.end(), zeros.begin(), zeros.end());
}

// A prefix of n tokens is seen by all: the first n - 1 targets would only be copied, so nobody is asked for them.
Tensor without_prefix(const Tensor& targets, const nn::MaskSpec& masks, int64_t& tokens) {
  int64_t known = 0;
  for (const nn::MaskTerm& term : masks.terms())
    if (term.kind->name == std::string_view("prefix")) known = std::min(term.numbers[0] - 1, targets.dim(1));
  if (known < 1) return targets;
  const Tensor wanted = targets.copy();
  for (int64_t b = 0; b < wanted.dim(0); ++b)
    for (int64_t t = 0; t < known; ++t) {
      int32_t& target = wanted.data<int32_t>()[b * wanted.dim(1) + t];
      if (target != data::kIgnore) --tokens;
      target = data::kIgnore;
    }
  return wanted;
}

}  // namespace

nn::TransformerLayerOptions layer_options(const GptOptions& o) {
  nn::TransformerLayerOptions layer;
  layer.self.width = o.n_embd;
  layer.self.heads = o.n_head;
  layer.self.kv_heads = o.n_kv_head;
  layer.self.joint = true;
  layer.self.bias = o.bias || o.qkv_bias;
  layer.self.out_bias = o.bias;
  layer.self.masks = o.dec_mask;
  layer.self.place = nn::Place::kDecoder;
  layer.self.rotary = o.rotary();
  layer.self.rotary_base = o.rope_base;
  layer.self.dropout = static_cast<float>(o.dropout);
  layer.feed_forward = {
      .width = o.n_embd, .hidden = o.hidden(), .activation = o.activation, .gated = o.gated, .bias = o.bias};
  layer.norm = norm_options(o);
  return layer;
}

Gpt::Gpt(const GptOptions& options, uint64_t seed)
    : options_((options.check(), options)),
      seed_(seed),
      embedding_([&] {
        Random random(seed, 1);
        return nn::Embedding(options_.vocab, options_.n_embd, random);
      }()),
      norm_(options_.n_embd, norm_options(options_)) {
  const GptOptions& o = options_;
  Random random(seed, 2);
  if (!o.rotary()) positions_.value = Tensor::empty({o.block_size, o.n_embd});
  for (int64_t i = 0; i < o.n_layer; ++i)
    layers_.push_back(std::make_unique<nn::TransformerLayer>(layer_options(o), random));
  if (!o.tied) output_.emplace(o.n_embd, o.vocab, false, random);
  draw_first_weights(random);
}

// GPT-2's: normal with deviation 0.02, and less for what is added to the residual by 2 n_layer parts.
void Gpt::draw_first_weights(Random& random) {
  constexpr float kDeviation = 0.02f;
  const float residual = kDeviation / std::sqrt(2.0f * static_cast<float>(options_.n_layer));
  for (nn::Parameter* parameter : parameters()) {
    if (parameter->value.rank() != 2) continue;
    const bool added = parameter->name.ends_with(".out.weight");
    parameter->value = nn::normal(parameter->value.shape(), added ? residual : kDeviation, random);
  }
}

nlohmann::json Gpt::config() const { return to_json(options_); }

nn::ParameterList Gpt::parameters() {
  nn::ParameterList list;
  embedding_.collect("embedding.", list);
  if (positions_.value.defined()) {
    positions_.name = "positions.weight";
    list.push_back(&positions_);
  }
  for (size_t i = 0; i < layers_.size(); ++i) layers_[i]->collect(fmt::format("layer.{}.", i), list);
  norm_.collect("norm.", list);
  if (output_) output_->collect("output.", list);
  return list;
}

std::vector<Stored> Gpt::stored() {
  const int64_t head = options_.n_embd / options_.n_head;
  const JointRows rows{options_.n_embd,
                       head * (options_.n_kv_head > 0 ? options_.n_kv_head : options_.n_head)};
  const Layout& layout = *find_layout(options_.layout);
  std::vector<Stored> stored = stored_as(parameters(), &layout, rows);
  if (layout.zero_biases && !options_.bias) add_zero_biases(stored);
  return stored;
}

Var Gpt::read(const Tensor& ids, const nn::Noise& noise) {
  const int64_t length = ids.dim(1);
  check(length <= options_.block_size, "gpt", "a text of {} tokens: this model reads {} at the most", length,
        options_.block_size);
  Var x = embedding_(ids);
  if (positions_.value.defined())
    x = autograd::add(x, autograd::slice(autograd::watch(positions_), 0, 0, length));
  x = noise.at(GptNoise::kWord).on(x, 0);
  for (size_t i = 0; i < layers_.size(); ++i) {
    nn::TransformerCall call;
    call.training = noise.rate > 0;
    call.step = noise.step;
    call.noise = noise.at(GptNoise::kLayer + i);
    x = (*layers_[i])(x, call).out;
  }
  return norm_(x);
}

Cost Gpt::cost(const data::Batch& batch, const CostOptions& options) {
  nn::Noise noise;
  if (options.training) noise = {static_cast<float>(options_.dropout), seed_, options.step};
  const Var states = read(batch.target_in, noise);
  int64_t tokens = batch.target_tokens;
  const Tensor wanted = without_prefix(batch.target_out, nn::MaskSpec(options_.dec_mask), tokens);
  const Var rows = autograd::reshape(states, {batch.target_out.size(), options_.n_embd});
  CrossEntropyOptions loss;
  loss.label_smoothing = options.label_smoothing;
  loss.ignore_index = data::kIgnore;
  loss.reduction = Reduction::kSum;
  Cost cost;
  cost.tokens = tokens;
  cost.total =
      autograd::linear_cross_entropy(rows, output_weight(), Var(), wanted.reshape({wanted.size()}), loss);
  cost.cross_entropy = cost.total.value().item();
  return cost;
}

}  // namespace fovea::models
