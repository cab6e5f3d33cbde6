#include "fovea/kernels/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

using kernels::AdamStep;
using kernels::SgdStep;
constexpr uint64_t kSeed = 17;

TEST(SgdStep, SimdAgreesWithPlainLoops) {
  const SgdStep steps[] = {{.learning_rate = 0.1f, .gradient_scale = 0.5f},
                           {.learning_rate = 0.1f, .momentum = 0.9f, .weight_decay = 0.01f},
                           {.learning_rate = 0.1f, .momentum = 0.9f, .gradient_scale = 2, .nesterov = true}};
  for_each_simd_target([&] {
    for_each_twin([&](int64_t n, int64_t offset) {
      for (const SgdStep& step : steps) {
        Guarded w(n, offset), want(n, 0), grad(n, offset), v(n, offset), want_v(n, 0);
        w.fill(Numbers::kNormal, kSeed);
        want.fill(Numbers::kNormal, kSeed);
        grad.fill(Numbers::kNormal, kSeed + 1);
        v.fill(Numbers::kNormal, kSeed + 2);
        want_v.fill(Numbers::kNormal, kSeed + 2);
        kernels::sgd_step(w.data(), grad.data(), step.momentum > 0 ? v.data() : nullptr, n, step);
        kernels::ref::sgd_step(want.data(), grad.data(), step.momentum > 0 ? want_v.data() : nullptr, n,
                               step);
        EXPECT_TRUE(same_numbers(w, want, 1e-6, 1e-6));
        EXPECT_TRUE(same_numbers(v, want_v, 1e-6, 1e-6));
      }
    });
  });
}

TEST(AdamStep, SimdAgreesWithPlainLoops) {
  for_each_simd_target([&] {
    for_each_twin([&](int64_t n, int64_t offset) {
      for (const bool decoupled : {false, true}) {
        const AdamStep step{.learning_rate = 0.1f,
                            .weight_decay = 0.1f,
                            .gradient_scale = 0.5f,
                            .correction1 = 0.271,
                            .correction2 = 0.003,
                            .decoupled = decoupled};
        Guarded w(n, offset), want(n, 0), grad(n, offset), m(n, offset), want_m(n, 0), v(n, offset, 0.5f),
            want_v(n, 0, 0.5f);
        w.fill(Numbers::kNormal, kSeed);
        want.fill(Numbers::kNormal, kSeed);
        grad.fill(Numbers::kNormal, kSeed + 1);
        m.fill(Numbers::kNormal, kSeed + 2);
        want_m.fill(Numbers::kNormal, kSeed + 2);
        kernels::adam_step(w.data(), grad.data(), m.data(), v.data(), n, step);
        kernels::ref::adam_step(want.data(), grad.data(), want_m.data(), want_v.data(), n, step);
        EXPECT_TRUE(same_numbers(w, want, 1e-6, 1e-6));
        EXPECT_TRUE(same_numbers(m, want_m, 1e-6, 1e-6));
        EXPECT_TRUE(same_numbers(v, want_v, 1e-6));
      }
    });
  });
}

TEST(SumOfSquares, SimdAgreesWithPlainLoopsAndDoesNotOverflow) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      for (Numbers kind : {Numbers::kNormal, Numbers::kWide}) {
        Guarded x(n, offset);
        x.fill(kind, kSeed);
        const double want = kernels::ref::sum_of_squares(x.data(), n);
        EXPECT_NEAR(kernels::sum_of_squares(x.data(), n), want, 1e-12 * want);
      }
    });
    Guarded huge(100, 1, 1e30f);
    EXPECT_NEAR(kernels::sum_of_squares(huge.data(), 100) / 1e62, 1, 1e-6);
  });
}

}  // namespace
}  // namespace fovea::testing
