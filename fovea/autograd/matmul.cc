#include "fovea/autograd/matmul.h"

#include "fovea/kernels/reduce.h"
#include "fovea/tensor/matmul.h"

namespace fovea::autograd {

using tensor::matmul_into;

// C = op(A) op(B):  d op(A) = dC op(B)^T,  d op(B) = op(A)^T dC;  where op turns over, so does its gradient.
Var matmul(const Var& a, const Var& b, bool ta, bool tb) {
  const Tensor &x = a.value(), &y = b.value();
  return record(
      "matmul", {a, b}, tensor::matmul(x, y, ta, tb), [x, y, ta, tb](const Tensor& dc, Grads& grads) {
        grads.add(0, [&](Tensor& dx, float beta) {
          if (!ta) return matmul_into(dc, y, false, !tb, dx, beta);
          if (y.rank() == x.rank()) return matmul_into(y, dc, tb, true, dx, beta);
          // One y for all: dx[i] = op(y) dc[i]^T has its shared side on the left.
          const int64_t batch = x.shape().product(0, x.rank() - 2);
          Tensor dx_rows = dx.reshape({batch, x.dim(-2), x.dim(-1)}),
                 dc_rows = dc.reshape({batch, dc.dim(-2), dc.dim(-1)});
          for (int64_t i = 0; i < batch; ++i) {
            Tensor part = dx_rows.slice(i, i + 1).reshape({x.dim(-2), x.dim(-1)});
            matmul_into(y, dc_rows.slice(i, i + 1).reshape({dc.dim(-2), dc.dim(-1)}), tb, true, part, beta);
          }
        });
        grads.add(1, [&](Tensor& dy, float beta) {
          if (tb)
            matmul_into(dc, x, true, ta, dy, beta);
          else
            matmul_into(x, dc, !ta, false, dy, beta);
        });
      });
}

// Y = X W^T + 1 b^T:  dX = dY W,  dW = dY^T X,  db = sum of the rows of dY.
Var linear(const Var& x, const Var& w, const Var& bias) {
  const Tensor &in = x.value(), &weight = w.value();
  if (!Tape::current()) return tensor::linear_by_rows(in, weight, bias.value());
  return record(
      "linear", {x, w, bias}, tensor::linear(in, weight, bias.value()),
      [in, weight](const Tensor& dy, Grads& grads) {
        const int64_t out = weight.dim(0), rows = dy.shape().product(0, dy.rank() - 1);
        const Tensor dy_rows = dy.reshape({rows, out}), in_rows = in.reshape({rows, weight.dim(1)});
        grads.add(0, [&](Tensor& dx, float beta) {
          Tensor dx_rows = dx.reshape({rows, weight.dim(1)});
          matmul_into(dy_rows, weight, false, false, dx_rows, beta);
        });
        grads.add(1, [&](Tensor& dw, float beta) { matmul_into(dy_rows, in_rows, true, false, dw, beta); });
        grads.add(2, [&](Tensor& db, float beta) {
          for_float(dy.dtype(), "linear", [&](auto t) {
            using T = decltype(t);
            kernels::sum_axis(dy.data<T>(), db.data<T>(), int64_t{1}, rows, out, T{1}, static_cast<T>(beta));
          });
        });
      });
}

}  // namespace fovea::autograd
