#include "fovea/nn/project_heads.h"

#include <algorithm>

#include "fovea/autograd/matmul.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/tensor/matmul.h"

namespace fovea::nn {

using autograd::Var;

Var project_heads(const Var& x, const Var& w) {
  const int64_t B = x.dim(0), L = x.dim(1), H = x.dim(2), D = x.dim(3);
  const bool shared = w.rank() == 2 || (w.rank() == 3 && w.dim(0) == 1);
  if (w.rank() < 2 || w.rank() > 3 || w.dim(-1) != D || (!shared && w.dim(0) != H))
    fail("project_heads", "weights {} for {} heads of width {}: expected [out, {}] or [{}, out, {}]",
         w.shape().str(), H, D, D, H, D);
  const int64_t out = w.dim(-2);
  if (shared) {
    const Var rows = autograd::reshape(x, {B * L * H, D});
    return autograd::reshape(autograd::linear(rows, autograd::reshape(w, {out, D}), Var()), {B, L, H, out});
  }
  const Var by_head = autograd::reshape(autograd::permute(x, {2, 0, 1, 3}), {H, B * L, D});
  Var y;
  if (autograd::Tape::current()) {
    y = autograd::matmul(by_head, w, false, true);
  } else {  // head by head, so that a row's bits do not depend on the others
    const Tensor rows = by_head.value(), weights = w.value();
    y = Tensor::empty({H, B * L, out}, x.dtype());
    for (int64_t h = 0; h < H; ++h) {
      const Tensor one =
          tensor::linear_by_rows(rows.slice(h, h + 1), weights.slice(h, h + 1).reshape({out, D}), {});
      std::copy_n(one.bytes_data(), one.bytes(), y.value().bytes_data() + h * one.bytes());
    }
  }
  return autograd::permute(autograd::reshape(y, {H, B, L, out}), {1, 2, 0, 3});
}

}  // namespace fovea::nn
