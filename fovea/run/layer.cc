#include "fovea/run/layer.h"

#include "fovea/kernels/activations.h"
#include "fovea/kernels/arithmetic.h"

namespace fovea::run {

FeedForward::FeedForward(Weights& weights, const std::string& prefix, const nn::FeedForwardOptions& o,
                         Precision precision)
    : activation_(nn::activation_named(o.activation)),
      in_(weights, prefix + "in", o.width, o.hidden, precision),
      out_(weights, prefix + "out", o.hidden, o.width, precision) {
  if (o.gated) gate_ = Linear(weights, prefix + "gate", o.width, o.hidden, precision);
}

void FeedForward::add_to(const Tensor& x, const Tensor& h) const {
  const Tensor hidden = gate_.defined() ? gate_(h) : in_(h);
  kernels::activate(activation_, hidden.data<float>(), hidden.data<float>(), hidden.size());
  if (gate_.defined()) {
    const Tensor up = in_(h);
    const kernels::Broadcast whole{.rank = 1, .sizes = {hidden.size()}, .a = {1}, .b = {1}};
    kernels::arithmetic(kernels::Arithmetic::kMul, whole, hidden.data<float>(), up.data<float>(),
                        hidden.data<float>(), false);
  }
  out_.add_to(x, hidden);
}

Held FeedForward::held() const {
  Held held = in_.held();
  held += gate_.held();
  return held += out_.held();
}

Layer::Layer(Weights& weights, const std::string& prefix, const nn::TransformerLayerOptions& o,
             Precision precision)
    : norm_first_(o.norm_first),
      self_norm_(weights, prefix + "self_norm", o.self.width, o.norm),
      feed_forward_norm_(weights, prefix + "feed_forward_norm", o.self.width, o.norm),
      self_(weights, prefix + "self.", o.self, precision),
      feed_forward_(weights, prefix + "feed_forward.", o.feed_forward, precision) {
  if (!o.cross) return;
  has_cross_ = true;
  cross_norm_ = Norm(weights, prefix + "cross_norm", o.self.width, o.norm);
  cross_ = Attention(weights, prefix + "cross.", *o.cross, precision);
}

Held Layer::held() const {
  Held held = self_.held();
  if (has_cross_) held += cross_.held();
  return held += feed_forward_.held();
}

Tensor Layer::before(const Norm& norm, const Tensor& x) const {
  if (!norm_first_) return x;
  Tensor h = Tensor::empty(x.shape());
  norm(x, h);
  return h;
}

void Layer::after(const Norm& norm, const Tensor& x) const {
  if (!norm_first_) norm(x, x);
}

void Layer::operator()(const Tensor& x, int64_t number, const Ragged& ragged, const Stored& self,
                       const Stored& cross, const Watch& watch_self, const Watch& watch_cross) const {
  {
    const HeadRowsOf made = self_.project(before(self_norm_, x), ragged);
    std::vector<KeysOf> keys(static_cast<size_t>(ragged.sequences()));
    for (int64_t i = 0; i < ragged.sequences(); ++i) {
      KeysOf& one = keys[static_cast<size_t>(i)];
      if (self.cache) {
        one = self.keys[static_cast<size_t>(i)];
        self_.write(made, ragged, i, *self.cache, number, one.pages, one.count - ragged.count(i));
      } else {
        one.count = ragged.count(i);
      }
      if (one.count != ragged.count(i)) continue;  // older tokens are in the cache alone
      const float* rows = made.data() + ragged.begin(i) * made.stride();
      one.k = rows + made.k_at;
      one.v = rows + made.v_at;
      one.stride = made.stride();
    }
    const Tensor context = self_.attend(made, ragged, keys, self.cache, number, watch_self);
    self_.out().add_to(x, context);
    after(self_norm_, x);
  }
  if (has_cross_) {
    const HeadRowsOf made = cross_.project_query(before(cross_norm_, x), ragged);
    const Tensor context = cross_.attend(made, ragged, cross.keys, cross.cache, number, watch_cross);
    cross_.out().add_to(x, context);
    after(cross_norm_, x);
  }
  feed_forward_.add_to(x, before(feed_forward_norm_, x));
  after(feed_forward_norm_, x);
}

}  // namespace fovea::run
