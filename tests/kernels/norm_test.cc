#include "fovea/kernels/norm.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

using kernels::NormRows;
using kernels::NormRowsBackward;
constexpr uint64_t kSeed = 13;
constexpr int64_t kRows = 5;

TEST(Norm, SimdAgreesWithPlainLoops) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      Guarded x(kRows * n, offset), residual(kRows * n, offset), gain(n, offset), bias(n, offset);
      x.fill(Numbers::kNormal, kSeed);
      residual.fill(Numbers::kNormal, kSeed + 1);
      gain.fill(Numbers::kNormal, kSeed + 2);
      bias.fill(Numbers::kNormal, kSeed + 3);
      for (const bool centred : {true, false}) {
        for (const bool with_residual : {true, false}) {
          auto run = [&](auto&& norm, Guarded& sum, Guarded& y, Guarded& mean, Guarded& rstd) {
            norm(NormRows<float>{.x = x.data(),
                                 .residual = with_residual ? residual.data() : nullptr,
                                 .gain = gain.data(),
                                 .bias = centred ? bias.data() : nullptr,
                                 .sum = sum.data(),
                                 .y = y.data(),
                                 .mean = centred ? mean.data() : nullptr,
                                 .rstd = rstd.data(),
                                 .rows = kRows,
                                 .cols = n,
                                 .eps = 1e-3});
          };
          Guarded sum(kRows * n, offset), y(kRows * n, offset), mean(kRows, offset), rstd(kRows, offset);
          Guarded want_sum(kRows * n, 0), want_y(kRows * n, 0), want_mean(kRows, 0), want_rstd(kRows, 0);
          run([](const NormRows<float>& a) { kernels::norm_rows(a); }, sum, y, mean, rstd);
          run([](const NormRows<float>& a) { kernels::ref::norm_rows(a); }, want_sum, want_y, want_mean,
              want_rstd);
          EXPECT_TRUE(same_numbers(sum, want_sum, 0));
          EXPECT_TRUE(same_numbers(y, want_y, 1e-5, 1e-5));
          EXPECT_TRUE(same_numbers(mean, want_mean, 1e-5, 1e-6));
          EXPECT_TRUE(same_numbers(rstd, want_rstd, 1e-5));
        }
      }
    });
  });
}

TEST(Norm, SimdBackwardAgreesWithPlainLoops) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      Guarded s(kRows * n, offset), dy(kRows * n, offset), gain(n, offset), y(kRows * n, 0), mean(kRows, 0),
          rstd(kRows, 0), scratch(kernels::norm_scratch(kRows, n), offset);
      s.fill(Numbers::kNormal, kSeed);
      dy.fill(Numbers::kNormal, kSeed + 1);
      gain.fill(Numbers::kNormal, kSeed + 2);
      for (const bool centred : {true, false}) {
        for (const float beta : {0.0f, 1.0f, 0.5f}) {
          kernels::ref::norm_rows(NormRows<float>{.x = s.data(),
                                                  .gain = gain.data(),
                                                  .y = y.data(),
                                                  .mean = centred ? mean.data() : nullptr,
                                                  .rstd = rstd.data(),
                                                  .rows = kRows,
                                                  .cols = n,
                                                  .eps = 1e-2});
          auto run = [&](auto&& backward, Guarded& dx, Guarded& dgain, Guarded& dbias) {
            backward(NormRowsBackward<float>{.s = s.data(),
                                             .gain = gain.data(),
                                             .mean = centred ? mean.data() : nullptr,
                                             .rstd = rstd.data(),
                                             .dy = dy.data(),
                                             .dx = dx.data(),
                                             .dgain = dgain.data(),
                                             .dbias = dbias.data(),
                                             .scratch = scratch.data(),
                                             .rows = kRows,
                                             .cols = n,
                                             .beta = beta,
                                             .beta_gain = beta,
                                             .beta_bias = beta});
          };
          Guarded dx(kRows * n, offset, 2), dgain(n, offset, 2), dbias(n, offset, 2);
          Guarded want_dx(kRows * n, 0, 2), want_dgain(n, 0, 2), want_dbias(n, 0, 2);
          run([](const NormRowsBackward<float>& a) { kernels::norm_rows_backward(a); }, dx, dgain, dbias);
          run([](const NormRowsBackward<float>& a) { kernels::ref::norm_rows_backward(a); }, want_dx,
              want_dgain, want_dbias);
          EXPECT_TRUE(same_numbers(dx, want_dx, 1e-5, 1e-5));
          EXPECT_TRUE(same_numbers(dgain, want_dgain, 1e-5, 1e-5));
          EXPECT_TRUE(same_numbers(dbias, want_dbias, 1e-5, 1e-5));
        }
      }
    });
  });
}

TEST(Norm, LargeMeanDoesNotEatTheVariance) {
  for_each_simd_target([] {
    constexpr int64_t n = 64;
    Guarded x(n, 1), gain(n, 0, 1), y(n, 0), mean(1, 0), rstd(1, 0);
    for (int64_t i = 0; i < n; ++i) x.data()[i] = 10000.0f + (i % 2 ? 1.0f : -1.0f);
    kernels::norm_rows(NormRows<float>{.x = x.data(),
                                       .gain = gain.data(),
                                       .y = y.data(),
                                       .mean = mean.data(),
                                       .rstd = rstd.data(),
                                       .rows = 1,
                                       .cols = n,
                                       .eps = 0});
    for (int64_t i = 0; i < n; ++i) EXPECT_NEAR(y.data()[i], i % 2 ? 1.0 : -1.0, 1e-5) << i;
  });
}

}  // namespace
}  // namespace fovea::testing
