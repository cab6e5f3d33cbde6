#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/mask.h"
#include "fovea/autograd/normalise.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/kernels/attention.h"
#include "fovea/nn/weigh/weigh.h"

namespace fovea::nn {
namespace {

// The ranges and the matrix of a mask as one u8 [B or 1, H or 1, T, S].
Tensor visibility(const MaskParts& m, const Shape& e) {
  auto size = [&](int axis) {  // 1 where neither is defined, or both share the axis; 0 where there is nothing
    const int64_t a = m.first.defined() ? m.first.dim(axis) : 1,
                  b = m.visible.defined() ? m.visible.dim(axis) : 1;
    return a == 0 || b == 0 ? 0 : std::max(a, b);
  };
  const int64_t B = size(0), H = size(1), T = e[2], S = e[3];
  auto at = [](const Tensor& x, int64_t b, int64_t h,
               int64_t i) {  // the row of a tensor whose axes may be shared
    return ((x.dim(0) == 1 ? 0 : b) * x.dim(1) + (x.dim(1) == 1 ? 0 : h)) * x.dim(2) +
           (x.dim(2) == 1 ? 0 : i);
  };
  Tensor visible = Tensor::empty({B, H, T, S}, DType::kU8);
  uint8_t* to = visible.data<uint8_t>();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t h = 0; h < H; ++h)
      for (int64_t i = 0; i < T; ++i)
        for (int64_t j = 0; j < S; ++j) {
          bool seen = true;
          if (m.first.defined()) {
            const int64_t row = at(m.first, b, h, i);
            seen = m.first.data<int32_t>()[row] <= j && j < m.last.data<int32_t>()[row];
          }
          if (m.visible.defined()) seen = seen && m.visible.data<uint8_t>()[at(m.visible, b, h, i) * S + j];
          *to++ = seen;
        }
  return visible;
}

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

}  // namespace

Var masked(const Var& e, const MaskParts& m) {
  Var x = e;
  if (m.bias.defined()) x = autograd::add(x, m.bias);
  if (m.diagonal.defined()) x = autograd::add(x, autograd::by_distance(m.diagonal, e.dim(2), e.dim(3)));
  if (m.first.defined() || m.visible.defined()) x = autograd::hide(x, visibility(m, e.shape()));
  return x;
}

Var weigh_soft(const Var& e, const MaskParts& m) {
  Var w = autograd::softmax(e);
  if (m.centre.defined()) w = autograd::mul(w, gauss(m, e.dim(3)));
  if (m.dropout > 0) w = autograd::mul(w, kept(m, e.shape(), e.dtype()));
  return w;
}

}  // namespace fovea::nn
