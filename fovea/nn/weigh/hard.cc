#include <cmath>
#include <limits>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/distribution.h"
#include "fovea/autograd/normalise.h"
#include "fovea/base/random.h"
#include "fovea/nn/weigh/weigh.h"
#include "fovea/tensor/normalise.h"

namespace fovea::nn {
namespace {

// The largest entry; the first of equals; -1 in a row of nothing but -inf.
template <typename T>
int32_t argmax(const T* x, int64_t n) {
  int64_t best = -1;
  for (int64_t j = 0; j < n; ++j)
    if (x[j] > (best < 0 ? -std::numeric_limits<T>::infinity() : x[best])) best = j;
  return static_cast<int32_t>(best);
}

// The first position where the running sum of p passes u * (sum of p); never one of probability 0.
// -1 where there is none, or where p is NaN.
template <typename T>
int32_t draw(const T* p, int64_t n, float u) {
  double total = 0, sum = 0;
  for (int64_t j = 0; j < n; ++j) total += p[j];
  int64_t last = -1;
  for (int64_t j = 0; j < n; ++j) {
    if (!(p[j] > 0)) continue;
    last = j;
    sum += p[j];
    if (sum > u * total) break;
  }
  return static_cast<int32_t>(last);
}

Shape rows_of(const Var& e) {
  Shape shape;
  for (int axis = 0; axis + 1 < e.rank(); ++axis) shape.push_back(e.dim(axis));
  return shape;
}

}  // namespace

Hard hard_named(std::string_view name) {
  if (name == "sample") return Hard::kSample;
  check(name == "argmax", "hard", "there is no way '{}' to choose a position: expected 'sample' or 'argmax'",
        name);
  return Hard::kArgmax;
}

Choice choose(const Var& e, Hard how, uint64_t seed, uint64_t step) {
  const int64_t keys = e.dim(-1);
  Choice choice;
  choice.at = Tensor::empty(rows_of(e), DType::kI32);
  const Tensor p = tensor::softmax(e.value());
  for_float(e.dtype(), "hard", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < choice.at.size(); ++r) {
      const float u = uniform_of(philox(seed, step, static_cast<uint64_t>(r))[0]);
      choice.at.data<int32_t>()[r] = how == Hard::kArgmax ? argmax(e.value().data<T>() + r * keys, keys)
                                                          : draw(p.data<T>() + r * keys, keys, u);
    }
  });
  choice.log_prob = autograd::pick(autograd::log_softmax(e), choice.at);
  choice.entropy = autograd::entropy(e);
  return choice;
}

Var weigh_gumbel(const Var& e, double temperature, uint64_t seed, uint64_t step, Tensor* at) {
  check(temperature > 0, "gumbel", "a temperature of {}: expected more than 0", temperature);
  const int64_t keys = e.dim(-1), rows = e.value().size() / std::max<int64_t>(keys, 1);
  Tensor noise = Tensor::empty(e.shape(), DType::kF64);
  for (int64_t x = 0; x < noise.size(); ++x) {
    const double u = (philox(seed, step, static_cast<uint64_t>(x))[1] + 0.5) * 0x1p-32;  // in (0, 1)
    noise.data<double>()[x] = -std::log(-std::log(u));
  }
  const Var noisy = autograd::add(e, noise.to(e.dtype()));
  Tensor hard = Tensor::zeros(e.shape(), e.dtype()), chosen = Tensor::empty(rows_of(e), DType::kI32);
  for_float(e.dtype(), "gumbel", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < rows; ++r) {
      const int32_t j = argmax(noisy.value().data<T>() + r * keys, keys);
      chosen.data<int32_t>()[r] = j;
      if (j >= 0) hard.data<T>()[r * keys + j] = 1;
    }
  });
  if (at) *at = chosen;
  return autograd::straight_through(autograd::softmax(autograd::scale(noisy, 1 / temperature)), hard);
}

}  // namespace fovea::nn
