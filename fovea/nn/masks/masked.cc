#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/mask.h"
#include "fovea/nn/masks/mask.h"

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

}  // namespace

Var masked(const Var& e, const MaskParts& m) {
  Var x = e;
  if (m.bias.defined()) x = autograd::add(x, m.bias);
  if (m.diagonal.defined()) x = autograd::add(x, autograd::by_distance(m.diagonal, e.dim(2), e.dim(3)));
  if (m.first.defined() || m.visible.defined()) x = autograd::hide(x, visibility(m, e.shape()));
  return x;
}

}  // namespace fovea::nn
