#include "fovea/autograd/distribution.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace fovea::autograd {
namespace {

Shape without_last(const Var& e, const char* who) {
  check(e.rank() > 0, who, "a scalar has no last axis");
  Shape shape;
  for (int axis = 0; axis + 1 < e.rank(); ++axis) shape.push_back(e.dim(axis));
  return shape;
}

// log sum_j exp(e_j); -inf for a row of nothing but -inf.
template <typename T>
double log_sum_exp(const T* e, int64_t n) {
  double max = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t j = 0; j < n; ++j) max = std::max<double>(max, e[j]);
  if (std::isinf(max) && max < 0) return max;
  for (int64_t j = 0; j < n; ++j) sum += std::exp(e[j] - max);
  return max + std::log(sum);
}

// Calls f(log p_j, j) for each entry that is part of the row's distribution.
template <typename T, typename F>
void for_each_entry(const T* e, int64_t n, double lse, F&& f) {
  for (int64_t j = 0; j < n; ++j)
    if (!(std::isinf(e[j]) && e[j] < 0)) f(e[j] - lse, j);
}

}  // namespace

Var entropy(const Var& e) {
  Tensor y = Tensor::zeros(without_last(e, "entropy"), e.dtype());
  const int64_t n = e.dim(-1);
  for_float(e.dtype(), "entropy", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < y.size(); ++r) {
      const T* row = e.value().data<T>() + r * n;
      double sum = 0;
      for_each_entry(row, n, log_sum_exp(row, n),
                     [&](double log_p, int64_t) { sum -= std::exp(log_p) * log_p; });
      y.data<T>()[r] = static_cast<T>(sum);
    }
  });
  // dH / de_j = -p_j (log p_j + H)
  return record("entropy", {e}, y, [e = e.value(), y, n](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& de) {
      for_float(e.dtype(), "entropy", [&](auto zero) {
        using T = decltype(zero);
        for (int64_t r = 0; r < y.size(); ++r) {
          const T* row = e.data<T>() + r * n;
          for_each_entry(row, n, log_sum_exp(row, n), [&](double log_p, int64_t j) {
            de.data<T>()[r * n + j] -=
                static_cast<T>(dy.data<T>()[r] * std::exp(log_p) * (log_p + y.data<T>()[r]));
          });
        }
      });
    });
  });
}

Var kl_divergence(const Var& e, const Var& f) {
  if (e.shape() != f.shape())
    fail("kl_divergence", "scores of shapes {} and {}", e.shape().str(), f.shape().str());
  Tensor y = Tensor::zeros(without_last(e, "kl_divergence"), e.dtype());
  const int64_t n = e.dim(-1);
  for_float(e.dtype(), "kl_divergence", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < y.size(); ++r) {
      const T *p = e.value().data<T>() + r * n, *q = f.value().data<T>() + r * n;
      const double lse_q = log_sum_exp(q, n);
      double sum = 0;
      for_each_entry(p, n, log_sum_exp(p, n),
                     [&](double log_p, int64_t j) { sum += std::exp(log_p) * (log_p - (q[j] - lse_q)); });
      y.data<T>()[r] = static_cast<T>(sum);
    }
  });
  // d/de_j = p_j (log p_j - log q_j - KL),  d/df_j = q_j - p_j
  return record(
      "kl_divergence", {e, f}, y, [e = e.value(), f = f.value(), y, n](const Tensor& dy, Grads& grads) {
        for_float(e.dtype(), "kl_divergence", [&](auto zero) {
          using T = decltype(zero);
          auto each_row = [&](auto&& body) {
            for (int64_t r = 0; r < y.size(); ++r) {
              const T *p = e.data<T>() + r * n, *q = f.data<T>() + r * n;
              const double lse_q = log_sum_exp(q, n);
              for_each_entry(p, n, log_sum_exp(p, n),
                             [&](double log_p, int64_t j) { body(r, j, log_p, q[j] - lse_q); });
            }
          };
          grads.add(0, [&](Tensor& de) {
            each_row([&](int64_t r, int64_t j, double log_p, double log_q) {
              de.data<T>()[r * n + j] +=
                  static_cast<T>(dy.data<T>()[r] * std::exp(log_p) * (log_p - log_q - y.data<T>()[r]));
            });
          });
          grads.add(1, [&](Tensor& df) {
            each_row([&](int64_t r, int64_t j, double log_p, double log_q) {
              df.data<T>()[r * n + j] +=
                  static_cast<T>(dy.data<T>()[r] * (std::exp(log_q) - std::exp(log_p)));
            });
          });
        });
      });
}

Var pick(const Var& x, const Tensor& at) {
  const int64_t width = x.rank() > 0 ? x.dim(-1) : 0;
  if (x.rank() == 0 || at.size() * width != x.value().size())
    fail("pick", "indices of shape {} into {}", at.shape().str(), x.shape().str());
  for (int32_t index : at.span<int32_t>())
    if (index >= width) fail("pick", "index {} of {} entries", index, width);
  Tensor y = Tensor::zeros(at.shape(), x.dtype());
  for_float(x.dtype(), "pick", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < at.size(); ++r)
      if (at.data<int32_t>()[r] >= 0) y.data<T>()[r] = x.value().data<T>()[r * width + at.data<int32_t>()[r]];
  });
  return record("pick", {x}, y, [at, width](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& dx) {
      for_float(dx.dtype(), "pick", [&](auto zero) {
        using T = decltype(zero);
        for (int64_t r = 0; r < at.size(); ++r)
          if (at.data<int32_t>()[r] >= 0) dx.data<T>()[r * width + at.data<int32_t>()[r]] += dy.data<T>()[r];
      });
    });
  });
}

Var gaussian_log_prob(const Tensor& x, const Var& mean, double deviation) {
  if (x.shape() != mean.shape() || x.dtype() != mean.dtype())
    fail("gaussian_log_prob", "shapes {} and {}: expected the same, of the same type", x.shape().str(),
         mean.shape().str());
  check(deviation > 0, "gaussian_log_prob", "a deviation of {}: expected more than 0", deviation);
  const Tensor y = Tensor::empty(without_last(mean, "gaussian_log_prob"), x.dtype());
  const int64_t n = x.dim(-1);
  const double constant = static_cast<double>(n) * std::log(deviation * std::sqrt(2 * std::numbers::pi));
  for_float(x.dtype(), "gaussian_log_prob", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < y.size(); ++r) {
      double sum = 0;
      for (int64_t i = r * n; i < (r + 1) * n; ++i) {
        const double z = static_cast<double>(x.data<T>()[i] - mean.value().data<T>()[i]) / deviation;
        sum += z * z;
      }
      y.data<T>()[r] = static_cast<T>(-sum / 2 - constant);
    }
  });
  // d/dmean_j = (x_j - mean_j) / deviation^2
  return record(
      "gaussian_log_prob", {mean}, y, [x, mean = mean.value(), n, deviation](const Tensor& dy, Grads& grads) {
        grads.add(0, [&](Tensor& dmean) {
          for_float(x.dtype(), "gaussian_log_prob", [&](auto zero) {
            using T = decltype(zero);
            const auto scale = static_cast<T>(1 / (deviation * deviation));
            for (int64_t i = 0; i < x.size(); ++i)
              dmean.data<T>()[i] += dy.data<T>()[i / n] * scale * (x.data<T>()[i] - mean.data<T>()[i]);
          });
        });
      });
}

Var straight_through(const Var& soft, const Tensor& hard) {
  if (soft.shape() != hard.shape())
    fail("straight_through", "shapes {} and {}: expected the same", soft.shape().str(), hard.shape().str());
  return record("straight_through", {soft}, hard, [](const Tensor& dy, Grads& grads) { grads.pass(0, dy); });
}

}  // namespace fovea::autograd
