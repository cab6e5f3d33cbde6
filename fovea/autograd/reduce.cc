#include "fovea/autograd/reduce.h"

#include "fovea/tensor/arithmetic.h"
#include "fovea/tensor/reduce.h"

namespace fovea::autograd {
namespace {

// y = alpha * sum of x along axes whose sizes are 1 in `kept`:  dx = alpha * dy, repeated along them.
Var record_sum(const char* name, const Var& x, Tensor y, const Shape& kept, double alpha) {
  return record(name, {x}, std::move(y), [kept, alpha](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& dx, float beta) {
      const Tensor factor = Tensor::full({}, alpha, dy.dtype());
      tensor::arithmetic_into(kernels::Arithmetic::kMul, dy.reshape(kept), factor, dx, beta != 0);
    });
  });
}

}  // namespace

Var sum(const Var& x) { return record_sum("sum", x, tensor::sum(x.value()), {}, 1); }

Var sum(const Var& x, int axis, bool keep) {
  const Shape kept = tensor::reduced_shape(x.shape(), x.shape().axis(axis, "sum"), true);
  return record_sum("sum", x, tensor::sum(x.value(), axis, keep), kept, 1);
}

Var mean(const Var& x) {
  return record_sum("mean", x, tensor::mean(x.value()), {}, 1 / static_cast<double>(x.value().size()));
}

Var mean(const Var& x, int axis, bool keep) {
  axis = x.shape().axis(axis, "mean");
  const Shape kept = tensor::reduced_shape(x.shape(), axis, true);
  return record_sum("mean", x, tensor::mean(x.value(), axis, keep), kept,
                    1 / static_cast<double>(x.dim(axis)));
}

Var max(const Var& x, int axis, bool keep) {
  axis = x.shape().axis(axis, "max");
  tensor::Max y = tensor::max(x.value(), axis, keep);
  const Tensor at = y.at;
  return record("max", {x}, y.value, [at, axis](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& dx) {
      const int64_t n = dx.dim(axis), inner = dx.shape().product(axis + 1, dx.rank());
      for_float(dx.dtype(), "max", [&](auto t) {
        using T = decltype(t);
        for (int64_t i = 0; i < dy.size(); ++i)
          dx.data<T>()[(i / inner * n + at.data<int32_t>()[i]) * inner + i % inner] += dy.data<T>()[i];
      });
    });
  });
}

}  // namespace fovea::autograd
