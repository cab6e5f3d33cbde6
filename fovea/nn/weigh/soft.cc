// Soft attention: the weights are a distribution over all keys that are seen.
#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/normalise.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/kernels/attention.h"
#include "fovea/nn/weigh/weigh.h"

namespace fovea::nn {
namespace {

// exp(-(j - centre)^2 / (2 sigma^2)), [B or 1, H or 1, T, S].
Var gauss(const MaskParts& m, int64_t keys) {
  Tensor j = Tensor::empty({1, 1, 1, keys}, DType::kF64);
  for (int64_t x = 0; x < keys; ++x) j.data<double>()[x] = static_cast<double>(x);
  const Shape& s = m.centre.shape();
  const Var away = autograd::sub(j.to(m.centre.dtype()), autograd::reshape(m.centre, {s[0], s[1], s[2], 1}));
  return autograd::exp(autograd::scale(autograd::square(away), -0.5 / (m.sigma * m.sigma)));
}

// 0 or 1 / (1 - rate) for each weight, the same numbers as in the fused kernels.
Tensor kept(const MaskParts& m, const Shape& e, DType type) {
  const kernels::AttentionSize n = {.B = e[0], .T = e[2], .S = e[3], .H = e[1], .G = e[1], .D = 1, .M = 1};
  Tensor keep = Tensor::empty(e, DType::kF32);
  for (int64_t row = 0; row < n.B * n.H * n.T; ++row)
    kernels::attention_dropout_row(n, m.dropout, m.seed, m.step, row / n.T / n.H, row / n.T % n.H, row % n.T,
                                   0, n.S, keep.data<float>() + row * n.S);
  return keep.to(type);
}

Weighed weigh(const Var& e, const MaskParts& m, const WeighOptions&) {
  Var w = autograd::softmax(e);
  if (m.centre.defined()) w = autograd::mul(w, gauss(m, e.dim(3)));
  if (m.dropout > 0) w = autograd::mul(w, kept(m, e.shape(), e.dtype()));
  return {.weights = w};
}

}  // namespace

Weigh weighs::soft() { return {"soft", "softmax(e)", "reads from everywhere, by weight", false, weigh}; }

}  // namespace fovea::nn
