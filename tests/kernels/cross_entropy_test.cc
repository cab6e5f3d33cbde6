#include "fovea/kernels/cross_entropy.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

using kernels::CrossEntropyShape;
constexpr uint64_t kSeed = 12;
constexpr int64_t kRows = 4;
constexpr int32_t kIgnored = -100;

// A random class for each row; the last row is ignored.
std::vector<int32_t> random_targets(int64_t classes) {
  Random random(kSeed, 9);
  std::vector<int32_t> targets(kRows, kIgnored);
  for (size_t r = 0; r + 1 < kRows; ++r) targets[r] = static_cast<int32_t>(random.below(classes));
  return targets;
}

TEST(CrossEntropy, SimdAgreesWithPlainLoops) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      if (n == 0) return;
      const std::vector<int32_t> targets = random_targets(n);
      for (const float smoothing : {0.0f, 0.1f}) {
        const CrossEntropyShape shape{kRows, n, smoothing, kIgnored};
        Guarded x(kRows * n, offset), got(kRows, offset), want(kRows, 0), lse(kRows, offset),
            want_lse(kRows, 0);
        x.fill(Numbers::kNormal, kSeed);
        kernels::cross_entropy_rows(x.data(), targets.data(), got.data(), lse.data(), shape);
        kernels::ref::cross_entropy_rows(x.data(), targets.data(), want.data(), want_lse.data(), shape);
        EXPECT_TRUE(same_numbers(got, want, 2e-6, 1e-6));
        EXPECT_TRUE(same_numbers(lse, want_lse, 1e-6, 1e-6));
        for (const float beta : {0.0f, 1.0f, 0.5f}) {
          Guarded dx(kRows * n, offset, 1.25f), want_dx(kRows * n, 0, 1.25f);
          kernels::cross_entropy_rows_backward(x.data(), targets.data(), want_lse.data(), dx.data(), 0.7f,
                                               beta, shape);
          kernels::ref::cross_entropy_rows_backward(x.data(), targets.data(), want_lse.data(), want_dx.data(),
                                                    0.7f, beta, shape);
          EXPECT_TRUE(same_numbers(dx, want_dx, 2e-6, 2e-7)) << "beta " << beta;
        }
        Guarded want_dx(kRows * n, 0);
        kernels::ref::cross_entropy_rows_backward(x.data(), targets.data(), want_lse.data(), want_dx.data(),
                                                  0.7f, 0.0f, shape);
        kernels::cross_entropy_rows_backward(x.data(), targets.data(), want_lse.data(), x.data(), 0.7f, 0.0f,
                                             shape);
        EXPECT_TRUE(same_numbers(x, want_dx, 2e-6, 2e-7)) << "in place";
      }
    });
  });
}

TEST(CrossEntropy, SimdAgreesWithPlainLoopsOnInfinitiesAndNan) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      if (n == 0) return;
      const std::vector<int32_t> targets = random_targets(n);
      const CrossEntropyShape shape{kRows, n, 0, kIgnored};
      for (Numbers kind : {Numbers::kWide, Numbers::kSpecial, Numbers::kNan}) {
        Guarded x(kRows * n, offset), got(kRows, offset), want(kRows, 0), lse(kRows, 0);
        x.fill(kind, kSeed);
        kernels::cross_entropy_rows(x.data(), targets.data(), got.data(), lse.data(), shape);
        kernels::ref::cross_entropy_rows(x.data(), targets.data(), want.data(), lse.data(), shape);
        EXPECT_TRUE(same_numbers(got, want, 1e-6, 1e-6));
      }
    });
  });
}

TEST(CrossEntropy, FullyMaskedRowHasInfiniteLossAndNoGradient) {
  const float infinity = std::numeric_limits<float>::infinity();
  for_each_simd_target([&] {
    Guarded x(19, 1, -infinity), loss(1, 0), lse(1, 0), dx(19, 2, 5), zeros(19, 0);
    const int32_t target = 3;
    const CrossEntropyShape shape{1, 19, 0.1f, -1};
    kernels::cross_entropy_rows(x.data(), &target, loss.data(), lse.data(), shape);
    EXPECT_EQ(loss.data()[0], infinity);
    kernels::cross_entropy_rows_backward(x.data(), &target, lse.data(), dx.data(), 1, 0, shape);
    EXPECT_TRUE(same_numbers(dx, zeros, 0, 0));
  });
}

}  // namespace
}  // namespace fovea::testing
