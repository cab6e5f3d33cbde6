#include "fovea/nn/transformer_layer.h"

#include "fovea/autograd/arithmetic.h"

namespace fovea::nn {
namespace {

// What passes through the sublayers. Where norms come first, what a sublayer adds waits for the norm of the next, which sums and
// norms in one sweep.
class Residual {
 public:
  Residual(bool norm_first, Var x) : norm_first_(norm_first), x_(std::move(x)) {}

  template <typename Sublayer>
  void through(Norm& norm, const Noise& noise, uint64_t use, Sublayer&& sublayer) {
    if (!norm_first_) {
      x_ = norm(noise.on(sublayer(x_), use), x_).normed;
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
    added_ = noise.on(sublayer(normed), use);
  }
  Var out() const { return added_.defined() ? autograd::add(x_, added_) : x_; }

 private:
  bool norm_first_;
  Var x_, added_;
};

}  // namespace

TransformerLayer::TransformerLayer(const TransformerLayerOptions& o, Random& random)
    : norm_first_(o.norm_first),
      feed_forward_(o.feed_forward, random),
      self_norm_(o.self.width, o.norm),
      feed_forward_norm_(o.self.width, o.norm) {
  self_.emplace(o.self, random);
  if (!o.cross) return;
  cross_.emplace(*o.cross, random);
  cross_norm_.emplace(o.self.width, o.norm);
}

TransformerLayer::Result TransformerLayer::operator()(const Var& x, const TransformerCall& call) {
  check(!cross_ == !call.cross, "transformer", "a layer {} cross-attention was given {} keys and values",
        cross_ ? "with" : "without", call.cross ? "its" : "no");
  Result result;
  Residual state(norm_first_, x);
  AttentionCall how;
  how.mask = call.mask;
  how.training = call.training;
  how.step = call.step;
  state.through(self_norm_, call.noise, 0, [&](const Var& h) { return (*self_)(h, how).context; });
  if (cross_) {
    how.mask = call.cross_mask;
    how.at = {.first = 0};
    if (call.want_scores) how.path = Path::kPlain;
    state.through(*cross_norm_, call.noise, 1, [&](const Var& h) {
      Attended seen = (*cross_)(h, *call.cross, how);
      result.cross_scores = seen.scores;
      return seen.context;
    });
  }
  state.through(feed_forward_norm_, call.noise, 2,
                [&](const Var& h) { return feed_forward_(h, call.hidden_noise); });
  result.out = state.out();
  return result;
}

void TransformerLayer::collect(const std::string& prefix, ParameterList& list) {
  self_norm_.collect(prefix + "self_norm.", list);
  self_->collect(prefix + "self.", list);
  if (cross_) {
    cross_norm_->collect(prefix + "cross_norm.", list);
    cross_->collect(prefix + "cross.", list);
  }
  feed_forward_norm_.collect(prefix + "feed_forward_norm.", list);
  feed_forward_.collect(prefix + "feed_forward.", list);
}

}  // namespace fovea::nn
