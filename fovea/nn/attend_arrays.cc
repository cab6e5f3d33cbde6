#include "fovea/nn/attend_arrays.h"

#include <algorithm>

#include "fovea/autograd/positions.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/base/error.h"

namespace fovea::nn {
namespace {

// [L, n] or [B, L, n] as [B, L, n].
Tensor batched(const Tensor& x, const char* name) {
  check(x.defined(), "attend", "there is no {}", name);
  if (x.rank() == 2) return x.reshape({1, x.dim(0), x.dim(1)});
  check(x.rank() == 3, "attend", "{} has shape {}: expected [rows, width] or [batch, rows, width]", name,
        x.shape().str());
  return x;
}

// The names of the score's parameters, in its order.
std::vector<std::string> names_of_params(const Score& score) {
  std::vector<std::string> names;
  for (const ScoreParam& param : score.params({.query = 1, .key = 1, .hidden = 1, .max_keys = 1}))
    names.emplace_back(param.name);
  return names;
}

bool is_of_local_p(const std::string& name) { return name == "Wp" || name == "vp"; }

// One attention: arrays with their gradients beside them.
class Arrays {
 public:
  explicit Arrays(const ArrayAttention& a)
      : a_(a),
        kv_heads_(a.kv_heads > 0 ? a.kv_heads : a.heads),
        score_(score_named(a.score)),
        weigh_(a.hard.empty() ? nullptr : &weigh_named(a.hard)) {
    check_param_names(a_);
    q_ = batched(a_.query, "query");
    k_ = batched(a_.key, "key");
    v_ = batched(a_.value, "value");
    check_shapes();
    check_params();
  }

  ArrayAttended operator()() {
    std::optional<autograd::Tape> tape;
    if (differentiates()) tape.emplace();
    const Var q = split(var(q_, "query"), a_.heads), k = split(var(k_, "key"), kv_heads_),
              v = split(var(v_, "value"), kv_heads_);
    const Mask mask = this->mask();
    AttendOptions options;
    options.score = &score_;
    std::vector<Var> params;
    for (const std::string& name : names_of_params(score_)) params.push_back(var(a_.params.at(name), name));
    options.score_params = params;
    options.mask = &mask;
    options.weigh = weigh_;
    options.seed = a_.seed;
    options.path = a_.path;
    options.look = a_.look;
    const Attended y = attend(a_.rope ? autograd::rope(q, k.dim(1) - q.dim(1)) : q,
                              a_.rope ? autograd::rope(k, 0) : k, v, options);
    const Shape& s = y.context.shape();
    const Shape shape = a_.query.rank() == 2 ? Shape{s[1], s[2] * s[3]} : Shape{s[0], s[1], s[2] * s[3]};
    ArrayAttended result{
        .context = y.context.value().reshape(shape), .seen = y.seen, .chosen = y.choice.at, .gradients = {}};
    if (tape) backward(*tape, y.context, shape, result);
    return result;
  }

 private:
  bool differentiates() const { return a_.upstream.defined(); }

  void check_shapes() const {
    check(a_.heads > 0 && kv_heads_ > 0 && a_.heads % kv_heads_ == 0, "attend",
          "heads {} and kv_heads {}: kv_heads must divide heads, and both be 1 or more", a_.heads, kv_heads_);
    const auto divides = [](const Tensor& x, int64_t heads, const char* name) {
      check(x.dim(2) % heads == 0, "attend", "{} has width {}, which {} heads do not share", name, x.dim(2),
            heads);
    };
    divides(q_, a_.heads, "query");
    divides(k_, kv_heads_, "key");
    divides(v_, kv_heads_, "value");
    check(k_.dim(0) == q_.dim(0) && v_.dim(0) == q_.dim(0), "attend",
          "query {}, key {} and value {}: expected one batch size", a_.query.shape().str(),
          a_.key.shape().str(), a_.value.shape().str());
    check(k_.dim(1) == v_.dim(1), "attend", "key {} and value {}: expected as many keys as values",
          a_.key.shape().str(), a_.value.shape().str());
    check(!differentiates() || !weigh_ || !weigh_->hard, "attend",
          "hard attention has no gradient of its own: an estimator gives it one in training");
  }

  // Each parameter against the shape the score wants, with the widths that only the arrays know.
  void check_params() const {
    ScoreSizes sizes = {
        .query = q_.dim(2) / a_.heads, .key = k_.dim(2) / kv_heads_, .hidden = 0, .max_keys = 0};
    for (const std::string& name : names_of_params(score_)) {
      const Tensor& x = a_.params.at(name);
      if (name == "v" && x.rank() > 0) sizes.hidden = x.dim(-1);
      if (a_.score == "location" && x.rank() > 1) sizes.max_keys = x.dim(-2);
    }
    for (const ScoreParam& wanted : score_.params(sizes)) {
      const Shape& met = a_.params.at(wanted.name).shape();
      Shape per_head = {a_.heads};
      for (const int64_t size : wanted.shape) per_head.push_back(size);
      check(met == wanted.shape || met == per_head, "attend", "parameter {} has shape {}: expected {}{}",
            wanted.name, met.str(), wanted.shape.str(),
            a_.heads > 1 ? fmt::format(", or {} with one for each head", per_head.str()) : "");
    }
  }

  // An array as it is used; where gradients are wanted, its own is kept by its name.
  Var var(const Tensor& value, const std::string& name) {
    return differentiates() ? autograd::variable(value, gradients_[name]) : Var(value);
  }

  static Var split(const Var& x, int64_t heads) {
    return autograd::reshape(x, {x.dim(0), x.dim(1), heads, x.dim(2) / heads});
  }

  Mask mask() {
    Mask mask;
    for (const MaskTerm& term : a_.masks.terms()) {
      std::vector<Var> arrays;
      if (term.kind->arrays)
        for (const char* name : {"Wp", "vp"}) {
          check(a_.params.count(name), "attend", "the mask {} needs the parameters Wp and vp",
                term.kind->name);
          arrays.push_back(var(a_.params.at(name), name));
        }
      mask = mask & term.kind->make(term.numbers, Place::kEncoder, arrays);
    }
    if (a_.lengths.defined()) mask = mask & lengths(a_.lengths.rank() == 0 ? a_.lengths.reshape({1}) : a_.lengths);
    if (a_.visible.defined()) mask = mask & visible(a_.visible);
    if (a_.bias.defined()) mask = mask & bias(var(a_.bias, "bias"));
    if (a_.relative.defined()) mask = mask & relative(var(a_.relative, "relative"));
    return mask;
  }

  void backward(autograd::Tape& tape, const Var& context, const Shape& shape, ArrayAttended& result) {
    check(a_.upstream.shape() == shape, "attend", "upstream has shape {}: expected that of the context, {}",
          a_.upstream.shape().str(), shape.str());
    if (context.node()) tape.backward(context, a_.upstream.reshape(context.shape()));
    const std::pair<const char*, const Tensor*> own[] = {{"query", &a_.query},
                                                         {"key", &a_.key},
                                                         {"value", &a_.value},
                                                         {"bias", &a_.bias},
                                                         {"relative", &a_.relative}};
    for (auto& [name, grad] : gradients_) {
      const std::string& wanted = name;
      const auto of = std::find_if(std::begin(own), std::end(own), [&](const auto& one) {
        return one.first == wanted && one.second->defined();
      });
      const Tensor& array = of == std::end(own) ? a_.params.at(name) : *of->second;
      result.gradients[name] =
          grad.defined() ? grad.reshape(array.shape()) : Tensor::zeros(array.shape(), array.dtype());
    }
  }

  const ArrayAttention& a_;
  const int64_t kv_heads_;
  const Score& score_;
  const Weigh* weigh_;
  Tensor q_, k_, v_;                         // [B, L, n]
  std::map<std::string, Tensor> gradients_;  // their addresses stay
};

}  // namespace

void check_param_names(const ArrayAttention& a) {
  const std::vector<std::string> needed = names_of_params(score_named(a.score));
  for (const std::string& name : needed)
    check(a.params.count(name), "attend", "score '{}' needs the parameter {}", a.score, name);
  for (const auto& [name, value] : a.params) {
    const bool known = std::find(needed.begin(), needed.end(), name) != needed.end() ||
                       (a.masks.has("local-p") && is_of_local_p(name));
    check(known, "attend", "score '{}' has no parameter '{}'", a.score, name);
  }
}

ArrayAttended attend_arrays(const ArrayAttention& arrays) { return Arrays(arrays)(); }

}  // namespace fovea::nn
