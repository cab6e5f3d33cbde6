#include "fovea/kernels/rope.h"

#include <gtest/gtest.h>

#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

using kernels::RopeShape;
constexpr uint64_t kSeed = 16;

TEST(Rope, SimdAgreesWithPlainLoops) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      if (n > 200) return;
      for (const bool inverse : {false, true}) {
        const RopeShape shape{.tokens = 6, .heads = 2, .width = 2 * n, .positions = 3, .inverse = inverse};
        const int64_t size = 6 * 2 * 2 * n;
        Guarded x(size, offset), cos(3 * n, offset), sin(3 * n, offset);
        x.fill(Numbers::kNormal, kSeed);
        cos.fill(Numbers::kNormal, kSeed + 1);
        sin.fill(Numbers::kNormal, kSeed + 2);
        for (const float beta : {0.0f, 1.0f}) {
          Guarded got(size, offset, 2), want(size, 0, 2);
          kernels::rope(x.data(), cos.data(), sin.data(), got.data(), shape, beta);
          kernels::ref::rope(x.data(), cos.data(), sin.data(), want.data(), shape, beta);
          EXPECT_TRUE(same_numbers(got, want, 1e-6, 2e-6));
        }
        Guarded want(size, 0);
        kernels::rope(x.data(), cos.data(), sin.data(), want.data(), shape, 0);
        kernels::rope(x.data(), cos.data(), sin.data(), x.data(), shape, 0);
        EXPECT_TRUE(same_numbers(x, want, 0, 0)) << "in place";
      }
    });
  });
}

}  // namespace
}  // namespace fovea::testing
