#include "fovea/tensor/matmul.h"

#include "fovea/base/scratch.h"
#include "fovea/kernels/gemm.h"
#include "fovea/kernels/packed.h"

namespace fovea::tensor {
namespace {

// The sizes of one product, and how many there are.
struct Sizes {
  int64_t m, n, k, batch;
  bool shared_b;  // b is one matrix for the whole batch
};

Sizes sizes_of(const Tensor& a, const Tensor& b, bool ta, bool tb) {
  const auto describe = [](const Tensor& x, bool t) { return x.shape().str() + (t ? " transposed" : ""); };
  if (a.rank() < 2 || b.rank() < 2)
    fail("matmul", "{} x {}: expected two axes or more on both sides", a.shape().str(), b.shape().str());
  if (a.dtype() != b.dtype())
    fail("matmul", "{} x {}: expected one type", name_of(a.dtype()), name_of(b.dtype()));
  const Sizes s = {a.dim(ta ? -1 : -2), b.dim(tb ? -2 : -1), a.dim(ta ? -2 : -1),
                   a.shape().product(0, a.rank() - 2), b.rank() == 2};
  if (s.k != b.dim(tb ? -1 : -2))
    fail("matmul", "{} x {}: {} columns meet {} rows", describe(a, ta), describe(b, tb), s.k,
         b.dim(tb ? -1 : -2));
  bool same = s.shared_b || a.rank() == b.rank();
  for (int axis = 0; !s.shared_b && same && axis < a.rank() - 2; ++axis) same = a.dim(axis) == b.dim(axis);
  if (!same)
    fail("matmul", "{} x {}: expected equal leading axes, or two axes on the right", describe(a, ta),
         describe(b, tb));
  return s;
}

template <typename T>
void run(const Sizes& s, const Tensor& a, const Tensor& b, bool ta, bool tb, Tensor& c, T beta) {
  const int64_t lda = ta ? s.m : s.k, ldb = tb ? s.k : s.n;
  const T *x = a.data<T>(), *y = b.data<T>();
  T* z = c.data<T>();
  if (s.batch == 1 || (s.shared_b && !ta)) {  // the batch is more rows of one matrix
    kernels::gemm(ta, tb, s.batch * s.m, s.n, s.k, T{1}, x, lda, y, ldb, beta, z, s.n);
  } else {
    kernels::gemm_batched(ta, tb, s.m, s.n, s.k, T{1}, x, lda, y, ldb, beta, z, s.n, s.batch, s.m * s.k,
                          s.shared_b ? 0 : s.k * s.n, s.m * s.n);
  }
}

// The products of a batch, added up.
template <typename T>
void run_sum(const Sizes& s, const Tensor& a, const Tensor& b, bool ta, bool tb, Tensor& c, T beta) {
  const int64_t lda = ta ? s.m : s.k, ldb = tb ? s.k : s.n;
  const T *x = a.data<T>(), *y = b.data<T>();
  T* z = c.data<T>();
  if (ta && !tb)  // the batch is more terms of one sum
    return kernels::gemm(true, false, s.m, s.n, s.batch * s.k, T{1}, x, lda, y, ldb, beta, z, s.n);
  if (s.batch == 0) return kernels::gemm(ta, tb, s.m, s.n, int64_t{0}, T{1}, x, lda, y, ldb, beta, z, s.n);
  for (int64_t i = 0; i < s.batch; ++i)
    kernels::gemm(ta, tb, s.m, s.n, s.k, T{1}, x + i * s.m * s.k, lda, y + i * s.k * s.n, ldb,
                  i == 0 ? beta : T{1}, z, s.n);
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, bool ta, bool tb) {
  const Sizes s = sizes_of(a, b, ta, tb);
  Shape shape = a.shape();
  shape[-2] = s.m;
  shape[-1] = s.n;
  Tensor c = Tensor::empty(shape, a.dtype());
  for_float(a.dtype(), "matmul", [&](auto t) { run(s, a, b, ta, tb, c, decltype(t){0}); });
  return c;
}

void matmul_into(const Tensor& a, const Tensor& b, bool ta, bool tb, Tensor& c, float beta) {
  const Sizes s = sizes_of(a, b, ta, tb);
  const bool sum = c.rank() == 2 && a.rank() > 2;
  if (c.rank() < 2 || c.dim(-2) != s.m || c.dim(-1) != s.n || c.size() != (sum ? 1 : s.batch) * s.m * s.n ||
      (sum && s.shared_b))
    fail("matmul", "{} x {} into {}: the shapes do not fit", a.shape().str(), b.shape().str(),
         c.shape().str());
  for_float(a.dtype(), "matmul", [&](auto t) {
    using T = decltype(t);
    sum ? run_sum<T>(s, a, b, ta, tb, c, beta) : run<T>(s, a, b, ta, tb, c, beta);
  });
}

namespace {

// The result of linear(), not yet computed, after checking shapes.
Tensor linear_result(const Tensor& x, const Tensor& w, const Tensor& bias) {
  if (w.rank() != 2 || x.rank() < 1 || x.dim(-1) != w.dim(1))
    fail("linear", "input {} and weights {}: expected [.., in] and [out, in]", x.shape().str(),
         w.shape().str());
  if (bias.defined() && (bias.rank() != 1 || bias.dim(0) != w.dim(0)))
    fail("linear", "bias {} for weights {}: expected [{}]", bias.shape().str(), w.shape().str(), w.dim(0));
  Shape shape = x.shape();
  shape[-1] = w.dim(0);
  return Tensor::empty(shape, x.dtype());
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias) {
  Tensor y = linear_result(x, w, bias);
  const int64_t out = w.dim(0), in = w.dim(1), rows = x.shape().product(0, x.rank() - 1);
  for_float(x.dtype(), "linear", [&](auto t) {
    using T = decltype(t);
    if (bias.defined())
      kernels::gemm_bias(false, true, rows, out, in, x.data<T>(), in, w.data<T>(), in, bias.data<T>(),
                         y.data<T>(), out);
    else
      kernels::gemm(false, true, rows, out, in, T{1}, x.data<T>(), in, w.data<T>(), in, T{0}, y.data<T>(),
                    out);
  });
  return y;
}

Tensor linear_by_rows(const Tensor& x, const Tensor& w, const Tensor& bias) {
  Tensor y = linear_result(x, w, bias);
  const int64_t out = w.dim(0), in = w.dim(1), rows = x.shape().product(0, x.rank() - 1);
  for_float(x.dtype(), "linear", [&](auto t) {
    using T = decltype(t);
    Scratch scratch;
    T* packed = scratch.take<T>(kernels::packed_size(in, out));
    kernels::pack(true, in, out, w.data<T>(), in, packed);
    kernels::gemm_packed(false, rows, out, in, x.data<T>(), in, packed,
                         bias.defined() ? bias.data<T>() : nullptr, T{0}, y.data<T>(), out);
  });
  return y;
}

}  // namespace fovea::tensor
