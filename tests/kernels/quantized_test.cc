#include "fovea/kernels/quantized.h"

#include <gtest/gtest.h>

#include <cstring>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "tests/kernels/simd_twins.h"

namespace fovea {
namespace {

using testing::for_each_simd_target;
using testing::Guarded;
using testing::kAllNumbers;
using testing::Numbers;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Packed weights, with marked bytes behind them that nobody may change.
class Packed {
 public:
  Packed(int64_t n, int64_t k)
      : bytes_(static_cast<size_t>(kernels::quantized_size(n, k))), memory_(bytes_ / kLine + 2) {
    std::memset(memory_.data(), kMark, memory_.size() * kLine);
  }
  Packed(int64_t n, int64_t k, const float* w, int64_t ldw) : Packed(n, k) {
    kernels::pack_quantized(n, k, w, ldw, data());
  }
  ~Packed() {
    for (size_t i = bytes_; i < memory_.size() * kLine; ++i) EXPECT_EQ(data()[i], kMark) << "written past";
  }
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  int8_t* data() { return reinterpret_cast<int8_t*>(memory_.data()); }
  size_t bytes() const { return bytes_; }
  float levels() { return *reinterpret_cast<float*>(data()); }

 private:
  static constexpr size_t kLine = 64;
  static constexpr int8_t kMark = 77;
  struct alignas(kLine) Line {
    int8_t bytes[kLine];
  };
  size_t bytes_;
  std::vector<Line> memory_;
};

// Whether the bits are the same; any NaN is as good as another.
::testing::AssertionResult same_bits(const Guarded& got, const Guarded& want) {
  for (int64_t i = 0; i < want.size(); ++i) {
    const float a = got.data()[i], b = want.data()[i];
    if (std::isnan(b) ? !std::isnan(a) : std::bit_cast<uint32_t>(a) != std::bit_cast<uint32_t>(b))
      return ::testing::AssertionFailure() << "element " << i << " is " << a << ", the plain twin's is " << b;
  }
  return ::testing::AssertionSuccess();
}

struct Case {
  int64_t n, k;
};

// Both products of random numbers, bit for bit, C with a column between its rows that is nobody's.
void expect_twins(int64_t m, Case size, int64_t offset, Numbers kind, bool with_bias, float beta) {
  const auto [n, k] = size;
  SCOPED_TRACE(::testing::Message() << m << " x " << n << " x " << k << ", offset " << offset << ", numbers "
                                    << static_cast<int>(kind) << ", beta " << beta);
  const int64_t lda = k + 3, ldw = k + 2, ldc = n + 1;
  Guarded a(m * lda, offset), w(n * ldw, offset), bias(n, offset), got(m * ldc, offset), want(m * ldc, 0);
  a.fill(kind, 1);
  w.fill(kind, 2);
  bias.fill(Numbers::kNormal, 3);
  got.fill(beta == 0 ? Numbers::kNan : Numbers::kNormal, 4);
  std::copy_n(got.data(), m * ldc, want.data());
  Packed packed(n, k, w.data(), ldw);
  const float* b = with_bias ? bias.data() : nullptr;
  kernels::gemm_quantized(m, n, k, a.data(), lda, packed.data(), b, beta, got.data(), ldc);
  kernels::ref::gemm_quantized(m, n, k, a.data(), lda, packed.data(), b, beta, want.data(), ldc);
  ASSERT_TRUE(same_bits(got, want));
}

TEST(Quantized, ProductHasTheBitsOfPlainLoopsForEveryNumberOfRows) {
  for_each_simd_target([] {
    for (int64_t m = 0; m <= 70; ++m) expect_twins(m, {67, 35}, m % 4, Numbers::kNormal, m % 2 == 0, 0);
  });
}

TEST(Quantized, ProductHasTheBitsOfPlainLoopsAtOddSizes) {
  constexpr Case kCases[] = {{1, 1},     {32, 16},  {31, 3},   {33, 17},   {64, 2},    {7, 255},
                             {100, 257}, {16, 0},   {0, 10},   {145, 511}, {1001, 31}, {47, 64},
                             {300, 128}, {9, 3071}, {24, 100}, {512, 512}, {40, 1},    {5, 48}};
  for_each_simd_target([&] {
    int64_t offset = 0;
    for (const Case size : kCases)
      for (const int64_t m : {1, 2, 3, 5, 13})
        for (const float beta : {0.0f, 1.0f, -0.5f}) {
          ++offset;
          expect_twins(m, size, offset % 4, Numbers::kNormal, offset % 3 != 0, beta);
        }
  });
}

TEST(Quantized, ProductHasTheBitsOfPlainLoopsForEveryKindOfNumber) {
  for_each_simd_target([] {
    for (const Numbers kind : kAllNumbers)
      for (const int64_t m : {1, 4, 25})
        for (const int64_t k : {1, 2, 6, 37}) expect_twins(m, {41, k}, 1, kind, true, 0);
  });
}

TEST(Quantized, ProductIsTheSameOnOneThreadAndTwo) {
  for (const Case size : {Case{8001, 64}, {512, 512}, {33, 2000}})
    for (const int64_t m : {1, 8, 70, 300}) {
      Guarded a(m * size.k, 0), w(size.n * size.k, 0), one(m * size.n, 0), two(m * size.n, 0);
      a.fill(Numbers::kNormal, 1);
      w.fill(Numbers::kNormal, 2);
      Packed packed(size.n, size.k, w.data(), size.k);
      const auto run = [&](int count, Guarded& c) {
        set_threads(count);
        kernels::gemm_quantized(m, size.n, size.k, a.data(), size.k, packed.data(), nullptr, 0, c.data(),
                                size.n);
        set_threads(0);
      };
      run(1, one);
      run(2, two);
      ASSERT_TRUE(same_bits(one, two)) << m << " x " << size.n << " x " << size.k;
    }
}

TEST(Quantized, RowHasTheSameBitsAloneAndAmongOthers) {
  for_each_simd_target([] {
    const int64_t m = 37, n = 130, k = 301;
    Guarded a(m * k, 0), w(n * k, 0), all(m * n, 0), one(n, 0), row(n, 0);
    a.fill(Numbers::kWide, 5);
    w.fill(Numbers::kNormal, 6);
    Packed packed(n, k, w.data(), k);
    kernels::gemm_quantized(m, n, k, a.data(), k, packed.data(), nullptr, 0, all.data(), n);
    for (int64_t i = 0; i < m; ++i) {
      kernels::gemm_quantized(1, n, k, a.data() + i * k, k, packed.data(), nullptr, 0, one.data(), n);
      std::copy_n(all.data() + i * n, n, row.data());
      ASSERT_TRUE(same_bits(one, row)) << "row " << i;
    }
  });
}

// The largest sums there can be: every weight and every number of A at its end.
TEST(Quantized, NoSumOverflows) {
  for_each_simd_target([] {
    for (const int64_t k : {511, 512, 517, 2048, 20'000, 100'001}) {
      Guarded a(k, 0, -3), w(2 * k, 0, 5), c(2, 0);
      std::fill_n(w.data() + k, k, -5.0f);
      Packed packed(2, k, w.data(), k);
      kernels::gemm_quantized(1, 2, k, a.data(), k, packed.data(), nullptr, 0, c.data(), 2);
      const auto want = -15.0 * static_cast<double>(k);
      EXPECT_NEAR(c.data()[0], want, 1e-5 * -want) << k;
      EXPECT_EQ(c.data()[1], -c.data()[0]) << k;
    }
  });
}

TEST(Quantized, ErrorIsThatOfTheWeightsRounding) {
  const int64_t n = 64, k = 2048;
  Guarded a(k, 0), w(n * k, 0), c(n, 0);
  a.fill(Numbers::kNormal, 1);
  w.fill(Numbers::kNormal, 2);
  std::vector<int8_t> q(static_cast<size_t>(n * k));
  std::vector<float> scale(static_cast<size_t>(n));
  kernels::quantize_rows(n, k, w.data(), k, q.data(), scale.data());
  Packed packed(n, k);
  kernels::pack_quantized(n, k, q.data(), scale.data(), packed.data());
  EXPECT_GT(packed.levels(), 30'000);
  kernels::gemm_quantized(1, n, k, a.data(), k, packed.data(), nullptr, 0, c.data(), n);
  double all = 0, beyond = 0;  // squares of the errors: from W, and from its rounded form
  for (int64_t j = 0; j < n; ++j) {
    double exact = 0, rounded = 0;
    for (int64_t p = 0; p < k; ++p) {
      const double x = a.data()[p];
      exact += x * w.data()[j * k + p];
      rounded += x * q[static_cast<size_t>(j * k + p)] * scale[static_cast<size_t>(j)];
    }
    all += (c.data()[j] - exact) * (c.data()[j] - exact);
    beyond += (c.data()[j] - rounded) * (c.data()[j] - rounded);
  }
  EXPECT_LT(std::sqrt(all / n), 0.012 * std::sqrt(k));
  EXPECT_LT(beyond, 1e-4 * all);
}

TEST(Quantized, RowsOfAFileArePackedAsTheWeightsThemselves) {
  const int64_t n = 45, k = 33, ldw = 40;
  Guarded w(n * ldw, 3);
  w.fill(Numbers::kNormal, 1);
  std::vector<int8_t> q(static_cast<size_t>(n * k) + 1, 99);
  Guarded scale(n, 1);
  kernels::quantize_rows(n, k, w.data(), ldw, q.data(), scale.data());
  EXPECT_EQ(q.back(), 99);
  for (int64_t j = 0; j < n; ++j) {
    int most = 0;
    for (int64_t p = 0; p < k; ++p) {
      const int level = q[static_cast<size_t>(j * k + p)];
      most = std::max(most, std::abs(level));
      EXPECT_NEAR(scale.data()[j] * static_cast<float>(level), w.data()[j * ldw + p],
                  0.501f * scale.data()[j]);
    }
    EXPECT_EQ(most, 127) << "row " << j;
  }
  Packed direct(n, k, w.data(), ldw), of_file(n, k);
  kernels::pack_quantized(n, k, q.data(), scale.data(), of_file.data());
  EXPECT_EQ(std::memcmp(direct.data(), of_file.data(), direct.bytes()), 0);
}

TEST(Quantized, RowsThatAreNotFiniteMakeTheirResultsNan) {
  for_each_simd_target([] {
    for (const float bad : {kNan, kInfinity, -kInfinity}) {
      const int64_t m = 3, n = 40, k = 50;
      Guarded a(m * k, 0, 1), w(n * k, 0, 1), c(m * n, 0);
      a.data()[1 * k + 49] = bad;
      w.data()[37 * k + 2] = bad;
      Packed packed(n, k, w.data(), k);
      kernels::gemm_quantized(m, n, k, a.data(), k, packed.data(), nullptr, 0, c.data(), n);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          if (i == 1 || j == 37)
            EXPECT_TRUE(std::isnan(c.data()[i * n + j])) << i << "," << j;
          else
            EXPECT_FLOAT_EQ(c.data()[i * n + j], 50) << i << "," << j;
        }
    }
  });
}

TEST(Quantized, RowsOfZerosGiveTheBias) {
  for_each_simd_target([] {
    const int64_t m = 2, n = 35, k = 20;
    Guarded a(m * k, 0), w(n * k, 0), bias(n, 0, 0.25f), c(m * n, 0);
    a.fill(Numbers::kNormal, 1);
    w.fill(Numbers::kNormal, 2);
    std::fill_n(a.data() + k, k, 1e-38f);  // so little that it counts as none
    std::fill_n(w.data() + 7 * k, k, -0.0f);
    Packed packed(n, k, w.data(), k);
    kernels::gemm_quantized(m, n, k, a.data(), k, packed.data(), bias.data(), 0, c.data(), n);
    EXPECT_NE(c.data()[6], 0.25f);
    EXPECT_EQ(c.data()[7], 0.25f);
    for (int64_t j = 0; j < n; ++j) EXPECT_EQ(c.data()[n + j], 0.25f);
  });
}

TEST(Quantized, MoreColumnsThanSumsHoldAreRefused) {
  const int64_t k = (int64_t{1} << 20) + 1;
  std::vector<float> w(static_cast<size_t>(k));
  Packed packed(1, k);
  EXPECT_THROW(kernels::pack_quantized(1, k, w.data(), k, packed.data()), Error);
}

}  // namespace
}  // namespace fovea
