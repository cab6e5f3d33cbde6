#include "fovea/kernels/softmax.h"

#include <gtest/gtest.h>

#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

constexpr uint64_t kSeed = 11;
constexpr int64_t kRows = 3;
// An exponent's rounding error grows with its size: up to 88 * 2^-23 where e^x is still a number.
constexpr double kTolerance = 2e-5;

TEST(Softmax, SimdAgreesWithPlainLoops) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      for (Numbers kind : kAllNumbers) {
        Guarded x(kRows * n, offset), got(kRows * n, offset), want(kRows * n, 0);
        x.fill(kind, kSeed);
        kernels::softmax_rows(x.data(), got.data(), kRows, n);
        kernels::ref::softmax_rows(x.data(), want.data(), kRows, n);
        EXPECT_TRUE(same_numbers(got, want, kTolerance));
        kernels::log_softmax_rows(x.data(), got.data(), kRows, n);
        kernels::ref::log_softmax_rows(x.data(), want.data(), kRows, n);
        EXPECT_TRUE(same_numbers(got, want, 1e-6, 1e-6));
      }
    });
  });
}

TEST(Softmax, SimdBackwardAgreesWithPlainLoopsAndAdds) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      Guarded x(kRows * n, offset), dy(kRows * n, offset), got(kRows * n, offset, 1.5f),
          want(kRows * n, 0, 1.5f);
      x.fill(Numbers::kNormal, kSeed);
      dy.fill(Numbers::kNormal, kSeed + 1);
      kernels::softmax_rows(x.data(), x.data(), kRows, n);  // in place
      kernels::softmax_rows_backward(x.data(), dy.data(), got.data(), kRows, n);
      kernels::ref::softmax_rows_backward(x.data(), dy.data(), want.data(), kRows, n);
      EXPECT_TRUE(same_numbers(got, want, 1e-6, 1e-6));
      x.fill(Numbers::kNormal, kSeed);
      kernels::log_softmax_rows(x.data(), x.data(), kRows, n);
      kernels::log_softmax_rows_backward(x.data(), dy.data(), got.data(), kRows, n);
      kernels::ref::log_softmax_rows_backward(x.data(), dy.data(), want.data(), kRows, n);
      EXPECT_TRUE(same_numbers(got, want, 1e-5, 1e-5));
    });
  });
}

TEST(Softmax, FullyMaskedRowIsZeroAndItsLogarithmStaysMasked) {
  const float hidden = -std::numeric_limits<float>::infinity();
  for_each_simd_target([&] {
    for (int64_t n : {1, 5, 16, 67}) {
      Guarded x(n, 1, hidden), y(n, 1, 7), zeros(n, 0, 0), dy(n, 0, 2), dx(n, 0, 3), same(n, 0, 3);
      kernels::softmax_rows(x.data(), y.data(), 1, n);
      EXPECT_TRUE(same_numbers(y, zeros, 0, 0));
      kernels::softmax_rows_backward(y.data(), dy.data(), dx.data(), 1, n);
      EXPECT_TRUE(same_numbers(dx, same, 0, 0));
      kernels::log_softmax_rows(x.data(), y.data(), 1, n);
      EXPECT_TRUE(same_numbers(y, x, 0, 0));
    }
  });
}

TEST(Softmax, MaskedElementsAreExactlyZero) {
  for_each_simd_target([] {
    Guarded x(37, 1), y(37, 2);
    x.fill(Numbers::kNormal, kSeed);
    for (int64_t i = 20; i < 37; ++i) x.data()[i] = -std::numeric_limits<float>::infinity();
    kernels::softmax_rows(x.data(), y.data(), 1, 37);
    for (int64_t i = 0; i < 37; ++i) EXPECT_EQ(y.data()[i] == 0, i >= 20) << i;
  });
}

}  // namespace
}  // namespace fovea::testing
