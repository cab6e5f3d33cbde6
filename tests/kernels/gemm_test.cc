#include "fovea/kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "fovea/base/parallel.h"
#include "fovea/base/random.h"

namespace fovea::kernels {
namespace {

struct Size {
  int64_t m, n, k;
};
const Size kSizes[] = {{1, 1, 1},       {1, 7, 3},       {5, 1, 9},    {3, 4, 0},      {64, 64, 64},
                       {65, 33, 17},    {1, 2048, 512},  {33, 1, 700}, {130, 260, 70}, {400, 1100, 5},
                       {257, 512, 129}, {16, 1030, 300}, {0, 5, 3},    {5, 0, 3},      {48, 33, 200},
                       {384, 128, 768}, {97, 65, 257}};

std::vector<float> normal(int64_t n, uint64_t seed) {
  Random random(seed);
  std::vector<float> x(static_cast<size_t>(n));
  for (float& v : x) v = random.normal();
  return x;
}

// Rows of A, B and C lie `gap` floats further apart than they need to.
struct Operands {
  Operands(Size s, bool ta, bool tb, int64_t gap)
      : lda((ta ? s.m : s.k) + gap),
        ldb((tb ? s.k : s.n) + gap),
        ldc(s.n + gap),
        a(normal((ta ? s.k : s.m) * lda, 1)),
        b(normal((tb ? s.n : s.k) * ldb, 2)),
        c(normal(s.m * ldc, 3)) {}
  int64_t lda, ldb, ldc;
  std::vector<float> a, b, c;
};

TEST(Gemm, AgreesWithPlainLoopsForEveryTransposeAndScale) {
  for (const Size s : kSizes) {
    for (const int flags : {0, 1, 2, 3}) {
      for (const float beta : {0.0f, 1.0f, -0.5f}) {
        const bool ta = flags & 1, tb = flags & 2;
        for (const float alpha : {0.7f, 1.0f}) {
          Operands x(s, ta, tb, 3);
          std::vector<float> want = x.c;
          gemm(ta, tb, s.m, s.n, s.k, alpha, x.a.data(), x.lda, x.b.data(), x.ldb, beta, x.c.data(), x.ldc);
          ref::gemm(ta, tb, s.m, s.n, s.k, alpha, x.a.data(), x.lda, x.b.data(), x.ldb, beta, want.data(),
                    x.ldc);
          const double allowed = 4e-7 * (static_cast<double>(s.k) + 1) + 1e-6;
          for (size_t i = 0; i < want.size(); ++i)
            ASSERT_NEAR(x.c[i], want[i], allowed)
                << s.m << " " << s.n << " " << s.k << " ta " << ta << " tb " << tb << " beta " << beta
                << " alpha " << alpha << " element " << i << " (seeds 1, 2, 3)";
        }
      }
    }
  }
}

TEST(Gemm, DoesNotReadTheResultWhenBetaIsZero) {
  for (const Size s : kSizes) {
    Operands x(s, false, true, 0);
    std::fill(x.c.begin(), x.c.end(), std::numeric_limits<float>::quiet_NaN());
    gemm(false, true, s.m, s.n, s.k, 1, x.a.data(), x.lda, x.b.data(), x.ldb, 0, x.c.data(), x.ldc);
    for (const float v : x.c) ASSERT_FALSE(std::isnan(v)) << s.m << " " << s.n << " " << s.k;
    std::vector<double> d = {std::numeric_limits<double>::quiet_NaN()};
    const double one = 1;
    gemm(false, false, 1, 1, 1, 1.0, &one, 1, &one, 1, 0.0, d.data(), 1);
    EXPECT_EQ(d[0], 1);
  }
}

TEST(Gemm, HasTheSameBitsOnOneThreadAndTwo) {
  for (const Size s : kSizes) {
    for (const int flags : {0, 1, 2, 3}) {
      const bool ta = flags & 1, tb = flags & 2;
      Operands one(s, ta, tb, 0), two = one;
      set_threads(1);
      gemm(ta, tb, s.m, s.n, s.k, 1, one.a.data(), one.lda, one.b.data(), one.ldb, 1, one.c.data(), one.ldc);
      set_threads(2);
      gemm(ta, tb, s.m, s.n, s.k, 1, two.a.data(), two.lda, two.b.data(), two.ldb, 1, two.c.data(), two.ldc);
      set_threads(0);
      ASSERT_TRUE(one.c.empty() || std::memcmp(one.c.data(), two.c.data(), one.c.size() * sizeof(float)) == 0)
          << s.m << " " << s.n << " " << s.k << " ta " << ta << " tb " << tb;
    }
  }
}

TEST(Gemm, ABiasIsAddedToEveryRow) {
  for (const Size s : kSizes) {
    Operands x(s, false, true, 0);
    const std::vector<float> bias = normal(s.n, 4);
    std::vector<float> want(x.c.size());
    std::fill(x.c.begin(), x.c.end(), std::numeric_limits<float>::quiet_NaN());
    gemm_bias(false, true, s.m, s.n, s.k, x.a.data(), x.lda, x.b.data(), x.ldb, bias.data(), x.c.data(),
              x.ldc);
    ref::gemm(false, true, s.m, s.n, s.k, 1.0f, x.a.data(), x.lda, x.b.data(), x.ldb, 0.0f, want.data(),
              x.ldc);
    for (size_t i = 0; i < want.size(); ++i)
      ASSERT_NEAR(x.c[i], want[i] + bias[i % static_cast<size_t>(s.n)],
                  2e-7 * (static_cast<double>(s.k) + 1) + 1e-6)
          << s.m << " " << s.n << " " << s.k << " element " << i;
  }
}

TEST(Gemm, ABatchIsSoManyProductsWhateverItsSize) {
  for (const Size s : {Size{3, 5, 4}, Size{32, 16, 8}, Size{130, 260, 70}, Size{2, 3, 0}}) {
    for (const int64_t batch : {0, 1, 3, 40}) {
      const std::vector<float> a = normal(s.m * s.k, 1), b = normal(batch * s.k * s.n, 2);
      std::vector<float> c = normal(batch * s.m * s.n, 3), want = c;
      gemm_batched(false, false, s.m, s.n, s.k, 1.0f, a.data(), s.k, b.data(), s.n, 1.0f, c.data(), s.n,
                   batch, 0, s.k * s.n, s.m * s.n);
      for (int64_t i = 0; i < batch; ++i)
        ref::gemm(false, false, s.m, s.n, s.k, 1.0f, a.data(), s.k, b.data() + i * s.k * s.n, s.n, 1.0f,
                  want.data() + i * s.m * s.n, s.n);
      for (size_t i = 0; i < c.size(); ++i) ASSERT_NEAR(c[i], want[i], 2e-5) << s.m << " batch " << batch;
    }
  }
}

}  // namespace
}  // namespace fovea::kernels
