#include <cmath>
#include <numbers>

#include "fovea/kernels/activations.h"

namespace fovea::kernels {
namespace ref {
namespace {

constexpr double kInvSqrt2 = std::numbers::sqrt2 / 2;
constexpr double kInvSqrt2Pi = std::numbers::inv_sqrtpi * kInvSqrt2;
constexpr double kSqrt2OverPi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

constexpr double kQuick = 1.702;  // of quick_gelu

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double normal_cdf(double x) { return std::erfc(-x * kInvSqrt2) / 2; }
double inner_tanh(double x) { return std::tanh(kSqrt2OverPi * (x + 0.044715 * x * x * x)); }

double value(Activation f, double x) {
  switch (f) {
    case Activation::kExp:
      return std::exp(x);
    case Activation::kLog:
      return std::log(x);
    case Activation::kSqrt:
      return std::sqrt(x);
    case Activation::kSquare:
      return x * x;
    case Activation::kTanh:
      return std::tanh(x);
    case Activation::kSigmoid:
      return sigmoid(x);
    case Activation::kRelu:
      return x > 0 || std::isnan(x) ? x : 0;
    case Activation::kGelu:
      return x * normal_cdf(x);
    case Activation::kGeluTanh:
      return x * (1 + inner_tanh(x)) / 2;
    case Activation::kQuickGelu:
      return x * sigmoid(kQuick * x);
    case Activation::kSilu:
      break;
  }
  return x * sigmoid(x);
}

// f' from x, or from y where keeps_output(f).
double slope(Activation f, double kept) {
  switch (f) {
    case Activation::kExp:
      return kept;
    case Activation::kLog:
      return 1 / kept;
    case Activation::kSqrt:
      return 0.5 / kept;
    case Activation::kSquare:
      return 2 * kept;
    case Activation::kTanh:
      return 1 - kept * kept;
    case Activation::kSigmoid:
      return kept * (1 - kept);
    case Activation::kRelu:
      return kept > 0 ? 1 : 0;
    case Activation::kGelu:
      return normal_cdf(kept) + kept * kInvSqrt2Pi * std::exp(-kept * kept / 2);
    case Activation::kGeluTanh: {
      const double t = inner_tanh(kept);
      return (1 + t) / 2 + kept * (1 - t * t) / 2 * kSqrt2OverPi * (1 + 3 * 0.044715 * kept * kept);
    }
    case Activation::kQuickGelu: {
      const double s = sigmoid(kQuick * kept);
      return s * (1 + kQuick * kept * (1 - s));
    }
    case Activation::kSilu:
      break;
  }
  const double s = sigmoid(kept);
  return s * (1 + kept * (1 - s));
}

}  // namespace

template <typename T>
void activate(Activation f, const T* x, T* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(value(f, x[i]));
}

template <typename T>
void activate_backward(Activation f, const T* kept, const T* dy, T* dx, int64_t n, bool accumulate) {
  for (int64_t i = 0; i < n; ++i)
    dx[i] = static_cast<T>(dy[i] * slope(f, kept[i]) + (accumulate ? static_cast<double>(dx[i]) : 0.0));
}

template void activate(Activation, const float*, float*, int64_t);
template void activate_backward(Activation, const float*, const float*, float*, int64_t, bool);

}  // namespace ref

void activate(Activation f, const double* x, double* y, int64_t n) { ref::activate(f, x, y, n); }
void activate_backward(Activation f, const double* kept, const double* dy, double* dx, int64_t n,
                       bool accumulate) {
  ref::activate_backward(f, kept, dy, dx, n, accumulate);
}

}  // namespace fovea::kernels
