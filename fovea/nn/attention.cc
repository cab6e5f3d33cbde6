#include "fovea/nn/attention.h"

#include <algorithm>
#include <array>

#include "fovea/autograd/matmul.h"
#include "fovea/autograd/positions.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/nn/weigh/estimators.h"
#include "fovea/tensor/pool_allocator.h"

namespace fovea::nn {
namespace {

// [B, L, heads * D] as [B, L, heads, D].
Var split(const Var& x, int64_t heads, const char* what) {
  if (x.rank() != 3 || x.dim(2) % heads)
    fail("attention", "{} of shape {}: expected [batch, row, width] with a width that {} heads share", what,
         x.shape().str(), heads);
  return autograd::reshape(x, {x.dim(0), x.dim(1), heads, x.dim(2) / heads});
}

// The parameters of the score as its arguments.
ScoreArguments arguments(std::vector<Parameter>& params) {
  std::array<Var, ScoreArguments::kMost> vars;
  for (size_t i = 0; i < params.size(); ++i) vars[i] = autograd::watch(params[i]);
  return std::span<const Var>(vars.data(), params.size());
}

}  // namespace

Attention::Attention(AttentionOptions options) : options_(std::move(options)) {
  Random random(options_.seed);
  build(random);
}

Attention::Attention(AttentionOptions options, Random& random) : options_(std::move(options)) {
  build(random);
  options_.seed = random.bits();
}

void Attention::check_options() const {
  const AttentionOptions& o = options_;
  check(o.width > 0, "attention", "no width: give the width of the queries");
  check(o.heads > 0 && o.kv_heads > 0 && o.heads % o.kv_heads == 0, "attention",
        "{} heads and {} key/value heads: expected one to divide the other", o.heads, o.kv_heads);
  check(o.width % o.heads == 0, "attention", "width {} does not divide into {} heads", o.width, o.heads);
  check(o.project || (o.key_width % o.kv_heads == 0 && o.value_width % o.kv_heads == 0), "attention",
        "keys of width {} and values of width {} do not divide into {} heads", o.key_width, o.value_width,
        o.kv_heads);
  check(o.weigh == "soft" || o.weigh == "hard", "attention", "weigh '{}': expected 'soft' or 'hard'",
        o.weigh);
  estimator_named(o.estimator);
  check(o.dropout >= 0 && o.dropout < 1, "attention", "a dropout of {}: expected 0 to below 1", o.dropout);
  check(o.weigh == "soft" || (o.dropout == 0 && !o.masks.has("local-p")), "attention",
        "hard attention reads one position: dropout and local-p have no use there");
  check(o.weigh == "soft" || o.temperature > 0, "attention", "a temperature of {}: expected more than 0",
        o.temperature);
  check(!o.joint || (o.project && o.key_width == o.width && o.value_width == o.width), "attention",
        "queries of width {}, keys of {} and values of {}: a joint projection reads one sequence", o.width,
        o.key_width, o.value_width);
  check(!o.rotary || o.width / o.heads % 2 == 0, "attention", "rotary positions on heads of odd width {}",
        o.width / o.heads);
}

void Attention::build(Random& random) {
  AttentionOptions& o = options_;
  if (!o.kv_heads) o.kv_heads = o.heads;
  if (!o.key_width) o.key_width = o.width;
  if (!o.value_width) o.value_width = o.key_width;
  check_options();
  score_ = &score_named(o.score);

  const int64_t head = o.width / o.heads;
  const int64_t kv_width = o.kv_heads * head;
  if (o.joint) {  // each part begins as it would by itself
    std::vector<Var> parts;
    for (const int64_t out : {o.width, kv_width, kv_width})
      parts.emplace_back(xavier_uniform({out, o.width}, random));
    qkv_.emplace(autograd::concat(parts, 0).value(), o.bias);
  } else if (o.project) {
    query_.emplace(o.width, o.width, o.bias, random);
    key_.emplace(o.key_width, kv_width, o.bias, random);
    value_.emplace(o.value_width, kv_width, o.bias, random);
  }
  if (o.project) out_.emplace(o.width, o.width, o.bias && o.out_bias, random);
  const int64_t key_head = o.project ? head : o.key_width / o.kv_heads;
  specs_ = score_->params(
      {.query = head, .key = key_head, .hidden = o.hidden ? o.hidden : head, .max_keys = o.max_keys});
  for (const ScoreParam& spec : specs_) {
    Shape shape = {o.heads};
    for (int64_t size : spec.shape) shape.push_back(size);
    check(shape.size() > 0, "attention", "score '{}' needs a size for {}: {}", o.score, spec.name,
          o.max_keys ? "a width is 0" : "give max_keys");
    score_params_.push_back({.name = spec.name, .value = xavier_uniform(shape, random), .grad = {}});
  }
  check(specs_.size() <= ScoreArguments::kMost, "attention", "score '{}' has more than {} parameters",
        o.score, ScoreArguments::kMost);
  for (const MaskArray& array : o.masks.arrays({.heads = o.heads, .width = head}))
    mask_params_.push_back({.name = array.name,
                            .value = array.deviation > 0
                                         ? normal(array.shape, static_cast<float>(array.deviation), random)
                                         : xavier_uniform(array.shape, random),
                            .grad = {}});
  const Mask named = masks();  // throws where they do not fit
  if (mask_params_.empty()) o.mask = o.mask & named;
}

Mask Attention::masks() {
  PoolVector<Var> arrays;
  for (Parameter& p : mask_params_) arrays.push_back(autograd::watch(p));
  return options_.masks.mask(options_.place, arrays);
}

tensor::RotaryTable Attention::angles(int64_t first, int64_t count) {
  const int64_t needed = first + count, known = rotary_.cos.defined() ? rotary_.cos.dim(0) : 0;
  if (known < needed)
    rotary_ = tensor::rotary_table(std::max(needed, 2 * known), options_.width / options_.heads, 0,
                                   options_.rotary_base);
  return {rotary_.cos.slice(first, needed), rotary_.sin.slice(first, needed)};
}

Mask Attention::mask_of(const AttentionCall& call) {
  const Mask mask = options_.mask & call.mask;
  return mask_params_.empty() ? mask : mask & masks();
}

Var Attention::joint_part(const Var& x, int part) {
  const int64_t kv_width = options_.width / options_.heads * options_.kv_heads;
  const int64_t first = part == 0 ? 0 : options_.width + (part - 1) * kv_width,
                end = first + (part == 0 ? options_.width : kv_width);
  const Var bias = qkv_->bias();
  return autograd::linear(x, autograd::slice(qkv_->weight(), 0, first, end),
                          bias.defined() ? autograd::slice(bias, 0, first, end) : Var());
}

Var Attention::key_heads(const Var& keys, int64_t first) {
  const Var made = options_.joint ? joint_part(keys, 1) : options_.project ? (*key_)(keys) : keys;
  const Var k = split(made, options_.kv_heads, "keys");
  return options_.rotary ? autograd::rope(k, angles(first, k.dim(1))) : k;
}
Var Attention::value_heads(const Var& values) {
  const Var made = options_.joint ? joint_part(values, 2) : options_.project ? (*value_)(values) : values;
  return split(made, options_.kv_heads, "values");
}

KeysValues Attention::keys_values(const Var& keys, const Var& values, int64_t first) {
  const Var k = key_heads(keys, first);
  return {score_->keys ? score_->keys(k, first, options_.heads, arguments(score_params_)) : k,
          value_heads(values)};
}

Attended Attention::operator()(const Var& query, const Var& keys, const Var& values,
                               const AttentionCall& call) {
  return attend_to(query, key_heads(keys, 0), value_heads(values), false, call);
}
Attended Attention::operator()(const Var& query, const KeysValues& of, const AttentionCall& call) {
  return attend_to(query, of.keys, of.values, true, call);
}

AttendOptions Attention::attend_options(const Mask& mask, const AttentionCall& call) {
  const AttentionOptions& o = options_;
  AttendOptions options;
  options.score = score_;
  options.score_params = arguments(score_params_);
  options.mask = &mask;
  options.at = call.at;
  if (o.weigh == "hard" && !call.softly)
    options.weigh = &weigh_named(call.training ? estimator_named(o.estimator).weigh : "argmax");
  options.temperature = o.temperature;
  options.dropout = call.training ? o.dropout : 0;
  options.seed = o.seed;
  check(!call.training || call.step || (o.dropout == 0 && o.weigh == "soft"), "attention",
        "training without a step: dropout and draws would be the same every time");
  options.step = call.step.value_or(0);
  options.path = call.path;
  options.look = call.look ? &*call.look : nullptr;
  return options;
}

Attended Attention::merged(Attended y) {
  const Shape& s = y.context.shape();
  y.context = autograd::reshape(y.context, {s[0], s[1], s[2] * s[3]});
  if (options_.project) y.context = (*out_)(y.context);
  return y;
}

Attended Attention::attend_to(const Var& query, const Var& k, const Var& v, bool keys_ready,
                              const AttentionCall& call) {
  const AttentionOptions& o = options_;
  const Var made = o.joint ? joint_part(query, 0) : o.project ? (*query_)(query) : query;
  Var q = split(made, o.heads, "query");
  if (o.rotary) {
    check(q.dim(1) <= k.dim(1), "attention",
          "{} queries and {} keys: rotary positions count back from the last key", q.dim(1), k.dim(1));
    q = autograd::rope(q, angles(k.dim(1) - q.dim(1), q.dim(1)));
  }
  const Mask mask = mask_of(call);
  AttendOptions options = attend_options(mask, call);
  options.keys_ready = keys_ready;
  return merged(attend(q, k, v, options));
}

Attended Attention::operator()(const Var& x, const AttentionCall& call) {
  const AttentionOptions& o = options_;
  if (!o.joint) return (*this)(x, x, x, call);
  Var qkv = split((*qkv_)(x), o.heads + 2 * o.kv_heads, "query");
  if (o.rotary) qkv = autograd::rope(qkv, angles(0, x.dim(1)), o.heads + o.kv_heads);
  const Mask mask = mask_of(call);
  return merged(attend_joint(qkv, o.kv_heads, attend_options(mask, call)));
}

Var Attention::read_each(const KeysValues& of) {
  const Shape& s = of.values.shape();
  check(options_.heads == 1, "attention", "{} heads read positions of their own: expected one head",
        options_.heads);
  const Var rows = autograd::reshape(of.values, {s[0], s[1], s[2] * s[3]});
  return options_.project ? (*out_)(rows) : rows;
}

void Attention::collect(const std::string& prefix, ParameterList& list) {
  for (const auto& [name, linear] :
       {std::pair{"qkv.", &qkv_}, {"query.", &query_}, {"key.", &key_}, {"value.", &value_}, {"out.", &out_}})
    if (*linear) (*linear)->collect(prefix + name, list);
  auto add = [&](Parameter& p, const std::string& name) {
    if (!p.value.defined()) return;
    p.name = prefix + name;
    list.push_back(&p);
  };
  for (size_t i = 0; i < score_params_.size(); ++i)
    add(score_params_[i], std::string("score.") + specs_[i].name);
  const auto arrays =
      options_.masks.arrays({.heads = options_.heads, .width = options_.width / options_.heads});
  for (size_t i = 0; i < mask_params_.size(); ++i) add(mask_params_[i], arrays[i].name);
}

}  // namespace fovea::nn
