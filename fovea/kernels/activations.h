// Functions of one number, element by element, and their gradients.
//   exp, log, sqrt, square, tanh, sigmoid 1/(1+e^-x), relu max(x,0)
//   gelu       x Phi(x), Phi being the normal distribution (exact, by erf)
//   gelu_tanh  x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2
//   silu       x sigmoid(x)
//   quick_gelu x sigmoid(1.702 x), CLIP's
#pragma once

#include <cstdint>

namespace fovea::kernels {

enum class Activation : uint8_t {
  kExp,
  kLog,
  kSqrt,
  kSquare,
  kTanh,
  kSigmoid,
  kRelu,
  kGelu,
  kGeluTanh,
  kSilu,
  kQuickGelu
};

// Whether the gradient is worked out from y = f(x); otherwise it is from x.
constexpr bool keeps_output(Activation f) {
  return f == Activation::kExp || f == Activation::kSqrt || f == Activation::kTanh ||
         f == Activation::kSigmoid || f == Activation::kRelu;
}

// y[i] = f(x[i]). y may be x.
void activate(Activation f, const float* x, float* y, int64_t n);
void activate(Activation f, const double* x, double* y, int64_t n);

// dx[i] = dy[i] * f'(x[i]), or with `accumulate` dx[i] += ...; `kept` is y where keeps_output(f), else x.
void activate_backward(Activation f, const float* kept, const float* dy, float* dx, int64_t n,
                       bool accumulate);
void activate_backward(Activation f, const double* kept, const double* dy, double* dx, int64_t n,
                       bool accumulate);

namespace ref {  // plain loops, in double
template <typename T>
void activate(Activation f, const T* x, T* y, int64_t n);
template <typename T>
void activate_backward(Activation f, const T* kept, const T* dy, T* dx, int64_t n, bool accumulate);
}  // namespace ref

}  // namespace fovea::kernels
