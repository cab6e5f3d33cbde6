#include "fovea/nn/transformer_layer.h"

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/shape_ops.h"

namespace fovea::nn {
namespace {

// What passes through the parts of a layer. Where norms come first, what a part adds waits for the norm of the next, which sums and
// norms in one sweep.
class Residual {
 public:
  Residual(bool norm_first, Var x) : norm_first_(norm_first), x_(std::move(x)) {}

  template <typename Part>
  void through(Norm& norm, const Noise& noise, uint64_t use, Part&& part) {
    if (!norm_first_) {
      x_ = norm(noise.on(part(x_), use), x_).normed;
      return;
    }
    Var normed;
    if (added_.defined()) {
      autograd::ResidualNorm both = norm(added_, x_);
      x_ = std::move(both.sum);
      normed = std::move(both.normed);
    } else {
      normed = norm(x_);
    }
    added_ = noise.on(part(normed), use);
  }
  Var out() const { return added_.defined() ? autograd::add(x_, added_) : x_; }

 private:
  bool norm_first_;
  Var x_, added_;
};

}  // namespace

TransformerLayer::TransformerLayer(const TransformerLayerOptions& o, Random& random)
    : norm_first_(o.norm_first),
      think_(o.think, random),
      self_norm_(o.self.width, o.norm),
      think_norm_(o.self.width, o.norm) {
  self_.emplace(o.self, random);
  if (!o.memory) return;
  memory_.emplace(*o.memory, random);
  memory_norm_.emplace(o.self.width, o.norm);
}

TransformerLayer::Result TransformerLayer::operator()(const Var& x, const TransformerCall& call) {
  check(!memory_ == !call.memory, "transformer", "a layer {} memory was given {}",
        memory_ ? "with a" : "without", call.memory ? "one" : "none");
  Result result;
  Residual state(norm_first_, x);
  AttentionCall how;
  how.mask = call.mask;
  how.training = call.training;
  how.step = call.step;
  how.look = call.look;
  state.through(self_norm_, call.noise, 0, [&](const Var& h) {
    Attended seen = (*self_)(h, how);
    result.seen = std::move(seen.seen);
    return seen.context;
  });
  if (memory_) {
    how.mask = call.memory_mask;
    how.at = {.first = 0};
    how.look = call.look_at_memory;
    if (call.want_scores) how.path = Path::kPlain;
    state.through(*memory_norm_, call.noise, 1, [&](const Var& h) {
      Attended seen = (*memory_)(h, *call.memory, how);
      result.memory_seen = std::move(seen.seen);
      result.memory_scores = seen.scores;
      return seen.context;
    });
  }
  state.through(think_norm_, call.noise, 2, [&](const Var& h) { return think_(h, call.hidden_noise); });
  result.out = state.out();
  return result;
}

TransformerLayer::Result TransformerLayer::step(const Var& x, const TransformerStep& step) {
  const int64_t rows = x.dim(0), width = x.dim(1);
  Result result;
  Residual state(norm_first_, x);
  AttentionCall how;
  how.look = step.look;
  state.through(self_norm_, {}, 0, [&](const Var& h) {
    const Var one = autograd::reshape(h, {rows, 1, width});
    Attended seen = (*self_)(one, step.extend(self_->remember(one, one, step.position)), how);
    result.seen = std::move(seen.seen);
    return autograd::reshape(seen.context, {rows, width});
  });
  if (memory_) {
    how.mask = step.memory_mask;
    how.at = {.first = step.position, .same = true};
    how.look = step.look_at_memory;
    const int64_t sentences = step.memory->values.dim(0);
    state.through(*memory_norm_, {}, 0, [&](const Var& h) {
      Attended seen =
          (*memory_)(autograd::reshape(h, {sentences, rows / sentences, width}), *step.memory, how);
      result.memory_seen = std::move(seen.seen);
      return autograd::reshape(seen.context, {rows, width});
    });
  }
  state.through(think_norm_, {}, 0, [&](const Var& h) { return think_(h); });
  result.out = state.out();
  return result;
}

void TransformerLayer::collect(const std::string& prefix, ParameterList& list) {
  self_norm_.collect(prefix + "self_norm.", list);
  self_->collect(prefix + "self.", list);
  if (memory_) {
    memory_norm_->collect(prefix + "memory_norm.", list);
    memory_->collect(prefix + "memory.", list);
  }
  think_norm_.collect(prefix + "think_norm.", list);
  think_.collect(prefix + "think.", list);
}

}  // namespace fovea::nn
