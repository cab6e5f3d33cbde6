#include "fovea/kernels/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/base/parallel.h"
#include "fovea/kernels/blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/optimizer_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void Sgd(float* w, const float* grad, float* velocity, int64_t n, const SgdStep& step) {
  const hn::ScalableTag<float> d;
  const auto scale = hn::Set(d, step.gradient_scale), decay = hn::Set(d, step.weight_decay),
             momentum = hn::Set(d, step.momentum), rate = hn::Set(d, step.learning_rate);
  ForVectors(d, n, [&](int64_t, auto load, auto store) HWY_ATTR {
    const auto weight = load(w), g = hn::MulAdd(decay, weight, hn::Mul(scale, load(grad)));
    auto along = g;
    if (velocity) {
      along = hn::MulAdd(momentum, load(velocity), g);
      store(along, velocity);
    }
    if (step.nesterov) along = hn::MulAdd(momentum, along, g);
    store(hn::NegMulAdd(rate, along, weight), w);
  });
}

void Adam(float* w, const float* grad, float* m, float* v, int64_t n, const AdamStep& step) {
  const hn::ScalableTag<float> d;
  const double one = 1;
  const auto beta1 = hn::Set(d, step.beta1), beta2 = hn::Set(d, step.beta2),
             rest1 = hn::Set(d, static_cast<float>(one - step.beta1)),
             rest2 = hn::Set(d, static_cast<float>(one - step.beta2));
  const auto scale = hn::Set(d, step.gradient_scale), eps = hn::Set(d, step.eps),
             rate = hn::Set(d, static_cast<float>(step.learning_rate / step.correction1)),
             root = hn::Set(d, static_cast<float>(1 / std::sqrt(step.correction2)));
  const double shrink = static_cast<double>(step.learning_rate) * step.weight_decay;
  const auto coupled = hn::Set(d, step.decoupled ? 0.0f : step.weight_decay),
             decoupled = hn::Set(d, step.decoupled ? static_cast<float>(shrink) : 0.0f);
  ForVectors(d, n, [&](int64_t, auto load, auto store) HWY_ATTR {
    const auto weight = load(w), g = hn::MulAdd(coupled, weight, hn::Mul(scale, load(grad)));
    const auto first = hn::MulAdd(beta1, load(m), hn::Mul(rest1, g));
    const auto second = hn::MulAdd(beta2, load(v), hn::Mul(rest2, hn::Mul(g, g)));
    store(first, m);
    store(second, v);
    const auto along = hn::Div(hn::Mul(rate, first), hn::MulAdd(hn::Sqrt(second), root, eps));
    store(hn::Sub(hn::NegMulAdd(decoupled, weight, weight), along), w);
  });
}

double SumOfSquares(const float* x, int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> half;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto a = hn::Zero(d), b = hn::Zero(d);
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto u = hn::PromoteTo(d, hn::LoadU(half, x + i)),
               v = hn::PromoteTo(d, hn::LoadU(half, x + i + lanes));
    a = hn::MulAdd(u, u, a);
    b = hn::MulAdd(v, v, b);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
  for (; i < n; ++i) sum += static_cast<double>(x[i]) * x[i];
  return sum;
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(Sgd);
HWY_EXPORT(Adam);
HWY_EXPORT(SumOfSquares);

void sgd_step(float* w, const float* grad, float* velocity, int64_t n, const SgdStep& step) {
  parallel_ranges(n, kBlockElements, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Sgd)
    (w + begin, grad + begin, velocity ? velocity + begin : nullptr, end - begin, step);
  });
}

void adam_step(float* w, const float* grad, float* m, float* v, int64_t n, const AdamStep& step) {
  parallel_ranges(n, kBlockElements, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Adam)(w + begin, grad + begin, m + begin, v + begin, end - begin, step);
  });
}

double sum_of_squares(const float* x, int64_t n) {
  std::array<double, 256> partial{};
  const int64_t grain = std::max(kBlockElements, (n + 255) / 256);
  parallel_ranges(n, grain, [&](int64_t begin, int64_t end) {
    partial[static_cast<size_t>(begin / grain)] = HWY_DYNAMIC_DISPATCH(SumOfSquares)(x + begin, end - begin);
  });
  double sum = 0;
  for (const double part : partial) sum += part;
  return sum;
}

}  // namespace fovea::kernels
#endif
