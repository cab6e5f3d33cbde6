#include "fovea/kernels/dropout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

using kernels::DropoutMask;

TEST(Dropout, SimdDrawsTheSameBitsAsScalarPhilox) {
  const DropoutMask masks[] = {
      {0.5f, 1, 0}, {0.1f, 0x123456789ABCDEF0, 0xFEDCBA9876543210}, {0.999f, ~0ull, ~0ull}};
  for_each_simd_target([&] {
    for_each_twin([&](int64_t n, int64_t offset) {
      for (const DropoutMask& mask : masks) {
        for (const float beta : {0.0f, 1.0f}) {
          Guarded x(n, offset), got(n, offset, 3), want(n, 0, 3);
          x.fill(Numbers::kNormal, 15);
          kernels::dropout(x.data(), got.data(), n, mask, beta);
          kernels::ref::dropout(x.data(), want.data(), n, mask, beta);
          EXPECT_TRUE(same_numbers(got, want, 0, 0));
        }
      }
    });
  });
}

TEST(Dropout, DroppedElementsAreZeroEvenWhereTheInputIsNan) {
  const DropoutMask mask{0.5f, 3, 4};
  for_each_simd_target([&] {
    Guarded x(100, 1, std::numeric_limits<float>::quiet_NaN());
    kernels::dropout(x.data(), x.data(), 100, mask, 0);
    for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(std::isnan(x.data()[i]), mask.keeps(i)) << i;
  });
}

TEST(Dropout, KeepsTheShareItShould) {
  constexpr int64_t n = 1 << 17;
  for (const float rate : {0.1f, 0.5f, 0.9f}) {
    const DropoutMask mask{rate, 5, 6};
    Guarded x(n, 0, 1);
    kernels::dropout(x.data(), x.data(), n, mask, 0);
    double kept = 0, sum = 0;
    for (const float v : x.span()) {
      kept += v != 0;
      sum += v;
    }
    const double deviation = std::sqrt(rate * (1 - rate) / static_cast<double>(n));
    EXPECT_NEAR(kept / n, 1 - rate, 5 * deviation) << "seed 5, stream 6";
    EXPECT_NEAR(sum / n, 1, 5 * deviation / (1 - rate));
  }
}

}  // namespace
}  // namespace fovea::testing
