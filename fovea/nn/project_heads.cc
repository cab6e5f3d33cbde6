#include "fovea/nn/project_heads.h"

#include "fovea/autograd/matmul.h"
#include "fovea/autograd/shape_ops.h"

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
    return autograd::reshape(autograd::matmul(rows, autograd::reshape(w, {out, D}), false, true),
                             {B, L, H, out});
  }
  const Var by_head = autograd::reshape(autograd::permute(x, {2, 0, 1, 3}), {H, B * L, D});
  const Var y = autograd::reshape(autograd::matmul(by_head, w, false, true), {H, B, L, out});
  return autograd::permute(y, {1, 2, 0, 3});
}

}  // namespace fovea::nn
