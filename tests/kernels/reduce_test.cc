#include "fovea/kernels/reduce.h"

#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

struct Size {
  int64_t outer, n, inner;
};

TEST(SumAxis, AgreesWithPlainLoopsAlongEveryAxis) {
  for_each_simd_target([] {
    for (const Size s : {Size{1, 0, 1}, Size{3, 0, 5}, Size{0, 4, 3}, Size{1, 1, 1}, Size{5, 7, 1},
                         Size{2, 65, 3}, Size{1, 200, 67}, Size{1, 130, 128}, Size{3, 2, 300},
                         Size{1, 5000, 1}, Size{2, 140001, 1}, Size{1, 3000, 33}}) {
      for (int64_t offset = 0; offset < 4; ++offset) {
        for (const float beta : {0.0f, 1.0f, 0.5f}) {
          Guarded x(s.outer * s.n * s.inner, offset), got(s.outer * s.inner, 3 - offset),
              want(s.outer * s.inner, 0);
          x.fill(Numbers::kNormal, 1);
          got.fill(Numbers::kNormal, 2);
          want.fill(Numbers::kNormal, 2);
          if (beta == 0) std::fill_n(got.data(), got.size(), std::numeric_limits<float>::quiet_NaN());
          kernels::sum_axis(x.data(), got.data(), s.outer, s.n, s.inner, 0.3f, beta);
          kernels::ref::sum_axis(x.data(), want.data(), s.outer, s.n, s.inner, 0.3f, beta);
          const double terms = std::sqrt(static_cast<double>(s.n) + 1);
          ASSERT_TRUE(same_numbers(got, want, 3e-7, 3e-7 * terms)) << s.outer << " " << s.n << " " << s.inner;
        }
      }
    }
  });
}

TEST(SumAxis, InfinityAndNaNReachTheirOwnSumsOnly) {
  std::vector<float> x(4 * 40, 1), rows(4), columns(40);
  x[5] = std::numeric_limits<float>::infinity();
  x[41] = std::numeric_limits<float>::quiet_NaN();
  kernels::sum_axis(x.data(), rows.data(), 4, 40, 1, 1, 0);
  kernels::sum_axis(x.data(), columns.data(), 1, 4, 40, 1, 0);
  EXPECT_TRUE(std::isinf(rows[0]) && std::isnan(rows[1]) && rows[2] == 40 && rows[3] == 40);
  EXPECT_TRUE(std::isinf(columns[5]) && std::isnan(columns[1]) && columns[0] == 4 && columns[39] == 4);
}

TEST(SumAxis, AMillionTermsKeepTheirDigits) {
  std::vector<float> x(1 << 20, 0.1f);
  float y = 0;
  kernels::sum_axis(x.data(), &y, 1, 1 << 20, 1, 1, 0);
  EXPECT_NEAR(y / 104857.6f, 1, 1e-6);
  kernels::sum_axis(x.data(), x.data(), 1, 1 << 16, 16, 1, 0);
  EXPECT_NEAR(x[0] / 6553.6f, 1, 1e-6);
}

TEST(MaxAxis, GivesTheFirstMaximumAndNaNWins) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {1, 5, 5, 2, -1, nan, -3, nan, -4, -4, -4, -4};
  std::vector<float> y(3);
  std::vector<int32_t> at(3);
  kernels::max_axis(x.data(), y.data(), at.data(), 3, 4, 1);
  EXPECT_EQ(at, (std::vector<int32_t>{1, 1, 0}));
  EXPECT_TRUE(y[0] == 5 && std::isnan(y[1]) && y[2] == -4);
}

}  // namespace
}  // namespace fovea::testing
