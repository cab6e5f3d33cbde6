// The last layer of a language model and its loss in one operation.
//
// The gradients are worked out in the forward pass, while a chunk of logits is at hand, and only scaled by dy
// (mostly 1) in the backward pass. The other way, to keep each row's log-sum-exp and make the logits again,
// costs a fourth product of rows * V * E where three do, and saves nothing: dw and dx exist at the end of
// either. The price is that a forward pass under a tape pays for the gradients even if backward() never
// comes; without a tape it does not.
#include <algorithm>

#include "fovea/autograd/loss.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/accumulate.h"
#include "fovea/kernels/arithmetic.h"
#include "fovea/kernels/blocks.h"
#include "fovea/kernels/cross_entropy.h"
#include "fovea/kernels/gemm.h"
#include "fovea/kernels/packed.h"
#include "fovea/kernels/reduce.h"
#include "fovea/kernels/transpose.h"
#include "fovea/tensor/rows.h"

namespace fovea::autograd {
namespace {

constexpr const char* kName = "linear_cross_entropy";

// Rows of logits at a time: 4 MiB of f32, which stay in the cache between the products, but enough rows, and whole tiles of
// them, for those to run well.
int64_t chunk_rows(int64_t classes) {
  constexpr int64_t kElements = 1 << 20, kTile = 64;
  return std::max<int64_t>(1, kElements / std::max<int64_t>(1, classes) / kTile) * kTile;
}

// y[c, r] = x[r, c].
template <typename T>
void turn_over(const T* x, int64_t rows, int64_t cols, T* y) {
  parallel_ranges(cols, kernels::rows_per_block(rows), [&](int64_t begin, int64_t end) {
    kernels::transpose(x + begin, cols, y + begin * rows, rows, rows, end - begin);
  });
}

// Gradients for dy = 1; undefined where nobody wants them. dw^T[E, V] = x^T dlogits reads the logits as they lie; dw = dlogits^T x would
// have to turn all of them over, chunk by chunk. It is turned over once, on its way to the gradient of w.
struct Result {
  Tensor loss, dx, dw_turned, dbias;
};

template <typename T>
void run(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& targets,
         const CrossEntropyOptions& options, double scale, Result& to) {
  const auto [rows, width] = tensor::rows_of(x, kName);
  const int64_t classes = w.dim(0), chunk = std::min(rows, chunk_rows(classes));
  const Tensor logits = Tensor::empty({chunk, classes}, x.dtype());
  const Tensor losses = Tensor::empty({chunk}, x.dtype()), lse = Tensor::empty({chunk}, x.dtype());
  const bool wanted = to.dx.defined() || to.dw_turned.defined() || to.dbias.defined();
  T* l = logits.data<T>();
  const Tensor packed = Tensor::empty({kernels::packed_size(width, classes)}, x.dtype());
  kernels::pack(true, width, classes, w.data<T>(), width, packed.data<T>());
  double sum = 0;
  for (int64_t begin = 0; begin < rows; begin += chunk) {
    const int64_t n = std::min(chunk, rows - begin);
    const T* from = x.data<T>() + begin * width;
    const int32_t* target = targets.data<int32_t>() + begin;
    kernels::gemm_packed(false, n, classes, width, from, width, packed.data<T>(),
                         bias.defined() ? bias.data<T>() : nullptr, T{0}, l, classes);
    // A row's gradient follows its loss while the row is in the cache.
    parallel_ranges(n, kernels::rows_per_block(classes), [&](int64_t first, int64_t last) {
      const kernels::CrossEntropyShape shape{last - first, classes, options.label_smoothing,
                                             options.ignore_index};
      T *at = l + first * classes, *total = lse.data<T>() + first;
      kernels::cross_entropy_rows(at, target + first, losses.data<T>() + first, total, shape);
      if (wanted)
        kernels::cross_entropy_rows_backward(at, target + first, total, at, static_cast<T>(scale), T{0},
                                             shape);
    });
    for (int64_t r = 0; r < n; ++r) sum += losses.data<T>()[r];
    if (!wanted) continue;
    const T beta = begin == 0 ? T{0} : T{1};
    if (to.dx.defined())
      kernels::gemm(false, false, n, width, classes, T{1}, l, classes, w.data<T>(), width, T{0},
                    to.dx.data<T>() + begin * width, width);
    if (to.dw_turned.defined())
      kernels::gemm(true, false, width, classes, n, T{1}, from, width, l, classes, beta,
                    to.dw_turned.data<T>(), classes);
    if (to.dbias.defined()) kernels::sum_axis(l, to.dbias.data<T>(), 1, n, classes, T{1}, beta);
  }
  *to.loss.data<T>() = static_cast<T>(sum * scale);
}

// Multiplies every gradient.
void multiply(const Result& gradients, double factor) {
  if (factor == 1) return;
  for (const Tensor* g : {&gradients.dx, &gradients.dw_turned, &gradients.dbias})
    if (g->defined())
      for_float(g->dtype(), kName, [&](auto t) {
        using T = decltype(t);
        kernels::affine(g->data<T>(), g->data<T>(), g->size(), static_cast<T>(factor), T{0});
      });
}

// dw = beta * dw + turned^T
void turn_over(const Tensor& turned, const Tensor& dw, float beta) {
  for_float(dw.dtype(), kName, [&](auto t) {
    using T = decltype(t);
    const Tensor apart = beta == 0 ? dw : Tensor::empty(dw.shape(), dw.dtype());
    turn_over(turned.data<T>(), turned.dim(0), turned.dim(1), apart.data<T>());
    if (beta != 0) kernels::accumulate(apart.data<T>(), dw.data<T>(), dw.size());
  });
}

void check_shapes(const Tensor& x, const Tensor& w, const Tensor& bias) {
  const int64_t width = tensor::rows_of(x, kName).cols;
  if (!w.defined() || w.rank() != 2 || w.dim(1) != width || w.dtype() != x.dtype())
    fail(kName, "weights are {} {} and the input {} {}: expected weights [V, {}] of the input's type",
         name_of(w.dtype()), w.shape().str(), name_of(x.dtype()), x.shape().str(), width);
  if (bias.defined() && (bias.rank() != 1 || bias.dim(0) != w.dim(0) || bias.dtype() != x.dtype()))
    fail(kName, "the bias is {} {}: expected {} [{}]", name_of(bias.dtype()), bias.shape().str(),
         name_of(x.dtype()), w.dim(0));
}

}  // namespace

Var linear_cross_entropy(const Var& x, const Var& w, const Var& bias, const Tensor& targets,
                         const CrossEntropyOptions& options) {
  check_shapes(x.value(), w.value(), bias.value());
  const int64_t rows = tensor::rows_of(x.value(), kName).count;
  const double scale = tensor::cross_entropy_scale(targets, rows, w.dim(0), options, kName);
  Result result;
  result.loss = Tensor::empty({}, x.dtype());
  // A product over no rows writes nothing, so then the gradients start as zeros.
  auto gradient = [&](const Var& of, const Shape& shape) {
    if (!Tape::current() || !of.node()) return Tensor();
    return rows > 0 ? Tensor::empty(shape, of.dtype()) : Tensor::zeros(shape, of.dtype());
  };
  result.dx = gradient(x, x.shape());
  result.dw_turned = gradient(w, {w.dim(1), w.dim(0)});
  result.dbias = gradient(bias, bias.shape());
  for_float(x.dtype(), kName, [&](auto t) {
    run<decltype(t)>(x.value(), w.value(), bias.value(), targets, options, scale, result);
  });
  Tensor loss = result.loss;
  return record(kName, {x, w, bias}, std::move(loss),
                [saved = std::move(result)](const Tensor& dy, Grads& grads) {
                  multiply(saved, dy.item());
                  grads.pass(0, saved.dx);
                  grads.add(1, [&](Tensor& dw, float beta) { turn_over(saved.dw_turned, dw, beta); });
                  grads.pass(2, saved.dbias);
                });
}

}  // namespace fovea::autograd
