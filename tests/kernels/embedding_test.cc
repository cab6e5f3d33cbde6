#include "fovea/kernels/embedding.h"

#include <gtest/gtest.h>

#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

TEST(Embedding, SimdAgreesWithPlainLoops) {
  const int32_t ids[] = {2, 0, 2, 2, 1};
  for_each_simd_target([&] {
    for_each_twin([&](int64_t n, int64_t offset) {
      Guarded table(4 * n, offset), y(5 * n, offset), want(5 * n, 0), sum(4 * n, offset, 1),
          want_sum(4 * n, 0, 1);
      table.fill(Numbers::kNormal, 14);
      kernels::gather_rows(table.data(), ids, y.data(), 5, n);
      kernels::ref::gather_rows(table.data(), ids, want.data(), 5, n);
      EXPECT_TRUE(same_numbers(y, want, 0, 0));
      kernels::scatter_add_rows(y.data(), ids, sum.data(), 5, n);
      kernels::ref::scatter_add_rows(y.data(), ids, want_sum.data(), 5, n);
      EXPECT_TRUE(same_numbers(sum, want_sum, 0, 0));  // the order of additions is the same
    });
  });
}

}  // namespace
}  // namespace fovea::testing
