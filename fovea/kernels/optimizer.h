// One step of an optimiser over a flat array of weights, all in one sweep. The gradient is first multiplied
// by gradient_scale, which is how clipping by the global norm is fused in; it is not changed.
#pragma once

#include <cstdint>

namespace fovea::kernels {

// g = scale grad + weight_decay w;  v = momentum v + g;  w -= learning_rate (nesterov ? g + momentum v : v)
struct SgdStep {
  float learning_rate, momentum = 0, weight_decay = 0, gradient_scale = 1;
  bool nesterov = false;
};
// velocity may be null when momentum is 0.
void sgd_step(float* w, const float* grad, float* velocity, int64_t n, const SgdStep& step);
void sgd_step(double* w, const double* grad, double* velocity, int64_t n, const SgdStep& step);

// Adam (Kingma & Ba 2015):   g = scale grad + weight_decay w
// AdamW (Loshchilov & Hutter 2019; decoupled):   g = scale grad;  w -= learning_rate weight_decay w
//   m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
//   w -= learning_rate (m / correction1) / (sqrt(v / correction2) + eps)
struct AdamStep {
  float learning_rate, beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f, weight_decay = 0, gradient_scale = 1;
  double correction1 = 1, correction2 = 1;  // 1 - beta^t at step t = 1, 2, ...
  bool decoupled = false;
};
void adam_step(float* w, const float* grad, float* m, float* v, int64_t n, const AdamStep& step);
void adam_step(double* w, const double* grad, double* m, double* v, int64_t n, const AdamStep& step);

// sum_i x[i]^2, summed in double in blocks that depend on n only.
double sum_of_squares(const float* x, int64_t n);
double sum_of_squares(const double* x, int64_t n);

namespace ref {
template <typename T>
void sgd_step(T* w, const T* grad, T* velocity, int64_t n, const SgdStep& step);
template <typename T>
void adam_step(T* w, const T* grad, T* m, T* v, int64_t n, const AdamStep& step);
template <typename T>
double sum_of_squares(const T* x, int64_t n);
}  // namespace ref

}  // namespace fovea::kernels
