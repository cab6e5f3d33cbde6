#include "fovea/kernels/transpose.h"

#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

TEST(Transpose, MovesEveryElementAndNothingElse) {
  for_each_simd_target([] {
    for (const int64_t rows : {0, 1, 3, 4, 7, 8, 33, 70}) {
      for (const int64_t cols : {0, 1, 2, 4, 5, 31, 36, 65}) {
        for (int64_t offset = 0; offset < 4; ++offset) {
          const int64_t ldx = cols + offset, ldy = rows + 2;
          Guarded x(rows * ldx, offset), got(cols * ldy, 3 - offset), want(cols * ldy, 0);
          x.fill(Numbers::kNan, 7);
          kernels::transpose(x.data(), ldx, got.data(), ldy, rows, cols);
          kernels::ref::transpose(x.data(), ldx, want.data(), ldy, rows, cols);
          ASSERT_TRUE(same_numbers(got, want, 0, 0)) << rows << " x " << cols << ", offset " << offset;
        }
      }
    }
  });
}

}  // namespace
}  // namespace fovea::testing
