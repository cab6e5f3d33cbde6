#include "fovea/kernels/optimizer.h"

#include <cmath>

namespace fovea::kernels {
namespace ref {

template <typename T>
void sgd_step(T* w, const T* grad, T* velocity, int64_t n, const SgdStep& step) {
  for (int64_t i = 0; i < n; ++i) {
    const double g =
        static_cast<double>(step.gradient_scale) * grad[i] + static_cast<double>(step.weight_decay) * w[i];
    double v = g;
    if (velocity) {
      v += static_cast<double>(step.momentum) * velocity[i];
      velocity[i] = static_cast<T>(v);
    }
    const double along = step.nesterov ? g + static_cast<double>(step.momentum) * v : v;
    w[i] = static_cast<T>(w[i] - step.learning_rate * along);
  }
}

template <typename T>
void adam_step(T* w, const T* grad, T* m, T* v, int64_t n, const AdamStep& step) {
  const double beta1 = step.beta1, beta2 = step.beta2, rate = step.learning_rate, decay = step.weight_decay;
  for (int64_t i = 0; i < n; ++i) {
    double weight = w[i], g = static_cast<double>(step.gradient_scale) * grad[i];
    if (step.decoupled)
      weight -= rate * decay * weight;
    else
      g += decay * weight;
    const double first = beta1 * m[i] + (1 - beta1) * g, second = beta2 * v[i] + (1 - beta2) * g * g;
    m[i] = static_cast<T>(first);
    v[i] = static_cast<T>(second);
    w[i] =
        static_cast<T>(weight - rate * (first / step.correction1) /
                                    (std::sqrt(second / step.correction2) + static_cast<double>(step.eps)));
  }
}

template <typename T>
double sum_of_squares(const T* x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * x[i];
  return sum;
}

template void sgd_step(float*, const float*, float*, int64_t, const SgdStep&);
template void adam_step(float*, const float*, float*, float*, int64_t, const AdamStep&);
template double sum_of_squares(const float*, int64_t);

}  // namespace ref

void sgd_step(double* w, const double* grad, double* velocity, int64_t n, const SgdStep& step) {
  ref::sgd_step(w, grad, velocity, n, step);
}
void adam_step(double* w, const double* grad, double* m, double* v, int64_t n, const AdamStep& step) {
  ref::adam_step(w, grad, m, v, n, step);
}
double sum_of_squares(const double* x, int64_t n) { return ref::sum_of_squares(x, n); }

}  // namespace fovea::kernels
