#include "fovea/kernels/packed.h"

#include <gtest/gtest.h>

#include "fovea/kernels/gemm.h"
#include "tests/kernels/simd_twins.h"

namespace fovea {
namespace {

using testing::for_each_simd_target;

std::vector<float> normals(int64_t n, uint64_t seed) {
  Random random(seed);
  std::vector<float> x(static_cast<size_t>(n));
  for (float& v : x) v = random.normal();
  return x;
}

struct Case {
  int64_t m, n, k;
};
constexpr Case kCases[] = {{1, 1, 1},       {1, 64, 16}, {2, 63, 3},    {3, 65, 17},    {4, 32, 256},
                           {5, 100, 257},   {7, 23, 64}, {16, 96, 0},   {33, 7, 100},   {64, 64, 768},
                           {0, 10, 10},     {9, 0, 4},   {6, 145, 511}, {13, 1001, 31}, {150, 60, 600},
                           {301, 97, 1024}, {1, 8, 300}, {2, 40, 9},    {12, 130, 129}};

TEST(Packed, ProductIsThatOfPlainLoopsWhateverBiasAndBetaAre) {
  for_each_simd_target([] {
    for (const auto [m, n, k] : kCases) {
      for (const bool tb : {false, true}) {
        const bool ta = (m + n + k + tb) % 2 == 1;  // every case one way or the other
        for (const float beta : {0.0f, 1.0f, -0.5f}) {
          for (const bool with_bias : {false, true}) {
            SCOPED_TRACE(::testing::Message()
                         << m << " x " << n << " x " << k << " tb " << tb << " beta " << beta);
            // Rows of A that all fall on the same lines of the cache are copied.
            const int64_t lda = k == 1024 ? 1024 : (ta ? m : k) + 3, ldb = (tb ? k : n) + 2, ldc = n + 1;
            const auto a = normals((ta ? k : m) * lda + 1, 1), b = normals((tb ? n : k) * ldb + 1, 2);
            const auto bias = normals(n + 1, 3);
            std::vector<float> packed(static_cast<size_t>(kernels::packed_size(k, n)) + 1, 7.0f);
            kernels::pack(tb, k, n, b.data(), ldb, packed.data());
            EXPECT_EQ(packed.back(), 7.0f);
            auto c = normals(m * ldc + 1, 4);
            if (beta == 0) std::fill(c.begin(), c.end(), std::nanf(""));
            auto want = c;
            kernels::gemm_packed(ta, m, n, k, a.data(), lda, packed.data(), with_bias ? bias.data() : nullptr,
                                 beta, c.data(), ldc);
            kernels::ref::gemm(ta, tb, m, n, k, 1.0f, a.data(), lda, b.data(), ldb, beta, want.data(), ldc);
            for (int64_t i = 0; i < m; ++i)
              for (int64_t j = 0; j < ldc; ++j) {
                const auto at = static_cast<size_t>(i * ldc + j);
                const float w = want[at] + (with_bias && j < n ? bias[static_cast<size_t>(j)] : 0.0f);
                if (j == n && std::isnan(w))
                  EXPECT_TRUE(std::isnan(c[at]));
                else
                  ASSERT_NEAR(c[at], w, 1e-5 * (1 + std::sqrt(static_cast<double>(k)))) << i << "," << j;
              }
          }
        }
      }
    }
  });
}

TEST(Packed, RowHasTheSameBitsAloneAndAmongOthers) {
  for_each_simd_target([] {
    const int64_t m = 37, n = 130, k = 300;
    const auto a = normals(m * k, 5), b = normals(k * n, 6);
    std::vector<float> packed(static_cast<size_t>(kernels::packed_size(k, n)));
    kernels::pack(false, k, n, b.data(), n, packed.data());
    std::vector<float> all(static_cast<size_t>(m * n)), one(static_cast<size_t>(n));
    kernels::gemm_packed(false, m, n, k, a.data(), k, packed.data(), nullptr, 0, all.data(), n);
    for (int64_t i = 0; i < m; ++i) {
      kernels::gemm_packed(false, 1, n, k, a.data() + i * k, k, packed.data(), nullptr, 0, one.data(), n);
      ASSERT_TRUE(std::equal(one.begin(), one.end(), all.begin() + i * n)) << "row " << i;
    }
  });
}

}  // namespace
}  // namespace fovea
