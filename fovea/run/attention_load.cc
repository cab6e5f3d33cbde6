// How the weights of an attention become projections of rows: as they are, or with the score's matrices multiplied in.
#include <algorithm>

#include "fovea/autograd/tape.h"
#include "fovea/run/attention.h"

namespace fovea::run {
namespace {

using autograd::Var;

// A linear map to heads: y [heads * width] = weight x + bias. A score that is linear in its rows is applied to the map by applying it to
// the columns of the weight, and to the bias.
struct HeadMap {
  Tensor weight, bias;  // [heads * width, in], [heads * width] or undefined

  static HeadMap identity(int64_t width) {
    Tensor w = Tensor::zeros({width, width});
    for (int64_t i = 0; i < width; ++i) w.data<float>()[i * width + i] = 1;
    return {w, {}};
  }
  static HeadMap of(Weights& weights, const std::string& name, int64_t in, int64_t out) {
    return {weights.tensor(name + ".weight", {out, in}),
            weights.contains(name + ".bias") ? weights.tensor(name + ".bias", {out}) : Tensor()};
  }
  HeadMap rows(int64_t begin, int64_t end) const {
    return {weight.slice(begin, end).copy(), bias.defined() ? bias.slice(begin, end).copy() : Tensor()};
  }

  // Columns, and then the bias, as rows of heads: [1, in + 1, heads, width].
  Tensor columns(int64_t heads) const {
    const int64_t out = weight.dim(0), in = weight.dim(1);
    const Tensor tokens = Tensor::zeros({1, in + 1, heads, out / heads});
    for (int64_t i = 0; i < in; ++i)
      for (int64_t j = 0; j < out; ++j) tokens.data<float>()[i * out + j] = weight.data<float>()[j * in + i];
    if (bias.defined()) std::copy_n(bias.data<float>(), out, tokens.data<float>() + in * out);
    return tokens;
  }
  static HeadMap from(const Tensor& tokens, bool has_bias) {
    const int64_t in = tokens.dim(1) - 1, out = tokens.dim(2) * tokens.dim(3);
    HeadMap map{Tensor::empty({out, in}), {}};
    for (int64_t i = 0; i < in; ++i)
      for (int64_t j = 0; j < out; ++j)
        map.weight.data<float>()[j * in + i] = tokens.data<float>()[i * out + j];
    if (has_bias) {
      map.bias = Tensor::empty({out});
      std::copy_n(tokens.data<float>() + in * out, out, map.bias.data<float>());
    }
    return map;
  }
};

// One below the other.
HeadMap stacked(std::initializer_list<HeadMap> maps) {
  int64_t out = 0, in = 0;
  bool has_bias = false;
  for (const HeadMap& map : maps) {
    out += map.weight.dim(0);
    in = map.weight.dim(1);
    has_bias |= map.bias.defined();
  }
  HeadMap all{Tensor::empty({out, in}), has_bias ? Tensor::zeros({out}) : Tensor()};
  int64_t row = 0;
  for (const HeadMap& map : maps) {
    std::copy_n(map.weight.data<float>(), map.weight.size(), all.weight.data<float>() + row * in);
    if (map.bias.defined())
      std::copy_n(map.bias.data<float>(), map.bias.size(), all.bias.data<float>() + row);
    row += map.weight.dim(0);
  }
  return all;
}

nn::RowMasks masks_of(Weights& weights, const std::string& prefix, const nn::AttentionOptions& o) {
  std::vector<nn::Var> arrays;
  for (const nn::MaskArray& array : o.masks.arrays({.heads = o.heads, .width = o.width / o.heads}))
    arrays.emplace_back(weights.tensor(prefix + array.name, array.shape));
  return nn::RowMasks(o.mask & o.masks.mask(o.place, arrays));
}

}  // namespace

Attention::Attention(Weights& weights, const std::string& prefix, const nn::AttentionOptions& o,
                     Precision precision)
    : heads_(o.heads),
      kv_heads_(o.kv_heads > 0 ? o.kv_heads : o.heads),
      head_(o.width / o.heads),
      score_(&nn::score_named(o.score)),
      hard_(o.weigh != "soft"),
      rotary_(o.rotary),
      rotary_base_(o.rotary_base),
      masks_(masks_of(weights, prefix, o)) {
  const autograd::NoTape off;
  const int64_t key_width = o.key_width > 0 ? o.key_width : o.width,
                value_width = o.value_width > 0 ? o.value_width : key_width,
                key_head = o.project ? head_ : key_width / kv_heads_;
  key_head_ = key_head;
  value_heads_ = kv_heads_;
  value_width_ = o.project ? head_ : value_width / kv_heads_;

  std::vector<Var> params;
  for (const nn::ScoreParam& spec : score_->params({.query = head_,
                                    .key = key_head,
                                    .hidden = o.hidden > 0 ? o.hidden : head_,
                                    .max_keys = o.max_keys})) {
    Shape shape = {heads_};
    for (const int64_t size : spec.shape) shape.push_back(size);
    score_params_.push_back(weights.tensor(prefix + "score." + spec.name, shape));
    params.emplace_back(score_params_.back());
  }
  check(score_->fused != nullptr, "attention", "the score {} has no fused form, which models need",
        score_->name);
  // What the score makes of queries and keys, of which only the widths are asked for here.
  const Var some_query = Tensor::zeros({1, 1, heads_, head_}),
            some_key = Tensor::zeros({1, 1, kv_heads_, key_head});
  const Var made_key = score_->keys ? score_->keys(some_key, 0, heads_, params) : some_key;
  const nn::PairScore pair = score_->fused(some_query, made_key, params);
  key_heads_ = made_key.dim(2);
  key_width_ = made_key.dim(3);
  u_ = pair.u.value();
  scale_ = static_cast<float>(pair.scale);

  scores_queries_ = !params.empty() && (rotary_ || masks_.asks_query());
  scores_keys_ = score_->keys && (rotary_ || score_->positional);
  if (params.empty() || (scores_queries_ && scores_keys_))
    load_plain(weights, prefix, o, precision);
  else
    load_folded(weights, prefix, o, precision);
  if (o.project) out_ = Linear(weights, prefix + "out", o.width, o.width, precision);
  if (!scores_queries_ && !scores_keys_) score_params_.clear();
}

void Attention::load_plain(Weights& weights, const std::string& prefix, const nn::AttentionOptions& o,
                           Precision precision) {
  if (!o.project) return;
  const int64_t kv = kv_heads_ * head_, key_width = o.key_width > 0 ? o.key_width : o.width,
                value_width = o.value_width > 0 ? o.value_width : key_width;
  if (o.joint) {
    weights.set_joint_rows(o.width, kv);
    qkv_ = Linear(weights, prefix + "qkv", o.width, o.width + 2 * kv, precision);
    return;
  }
  query_ = Linear(weights, prefix + "query", o.width, o.width, precision);
  if (key_width == value_width) {
    kv_ = Linear::stacked(weights, prefix + "key", prefix + "value", key_width, kv, precision);
  } else {
    key_ = Linear(weights, prefix + "key", key_width, kv, precision);
    value_ = Linear(weights, prefix + "value", value_width, kv, precision);
  }
}

void Attention::load_folded(Weights& weights, const std::string& prefix, const nn::AttentionOptions& o,
                            Precision precision) {
  std::vector<Var> params(score_params_.begin(), score_params_.end());
  const int64_t kv = kv_heads_ * head_, key_width = o.key_width > 0 ? o.key_width : o.width,
                value_width = o.value_width > 0 ? o.value_width : key_width;
  const auto folded_query = [&](const HeadMap& map) {
    if (scores_queries_) return map;
    const Var key = Tensor::zeros({1, 1, key_heads_, key_width_});
    return HeadMap::from(score_->fused(map.columns(heads_), key, params).q.value(), map.bias.defined());
  };
  const auto folded_key = [&](const HeadMap& map) {
    if (!score_->keys || scores_keys_) return map;
    return HeadMap::from(score_->keys(map.columns(kv_heads_), 0, heads_, params).value(), map.bias.defined());
  };
  const auto linear = [&](const HeadMap& map) { return Linear(map.weight, map.bias, precision); };
  if (!o.project) {
    if (!scores_queries_) query_ = linear(folded_query(HeadMap::identity(o.width)));
    if (score_->keys && !scores_keys_) key_ = linear(folded_key(HeadMap::identity(key_width)));
    return;
  }
  if (o.joint) {
    weights.set_joint_rows(o.width, kv);
    const HeadMap all = HeadMap::of(weights, prefix + "qkv", o.width, o.width + 2 * kv);
    qkv_ = linear(stacked({folded_query(all.rows(0, o.width)), folded_key(all.rows(o.width, o.width + kv)),
                           all.rows(o.width + kv, o.width + 2 * kv)}));
    return;
  }
  query_ = linear(folded_query(HeadMap::of(weights, prefix + "query", o.width, o.width)));
  key_ = linear(folded_key(HeadMap::of(weights, prefix + "key", key_width, kv)));
  value_ = Linear(weights, prefix + "value", value_width, kv, precision);
}

Held Attention::held() const {
  Held held;
  for (const Linear* linear : {&qkv_, &query_, &kv_, &key_, &value_, &out_}) held += linear->held();
  for (const Tensor& param : score_params_) held.f32_bytes += param.bytes();
  if (u_.defined()) held.f32_bytes += u_.bytes();
  if (!score_params_.empty()) held.f32_matrices.push_back(std::string("score ") + score_->name);
  return held;
}

}  // namespace fovea::run
