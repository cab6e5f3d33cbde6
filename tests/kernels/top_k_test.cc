#include "fovea/kernels/top_k.h"

#include <gtest/gtest.h>

#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

constexpr uint64_t kSeed = 41;
constexpr int64_t kRows = 3;

struct Selected {
  std::vector<int32_t> ids;
  std::vector<float> log_probs;
};

template <typename F>
Selected select(F&& top_k, const Guarded& x, int64_t rows, int64_t k, std::span<const int32_t> hidden = {}) {
  Selected y{std::vector<int32_t>(static_cast<size_t>(rows * k), 7),
             std::vector<float>(static_cast<size_t>(rows * k), 7)};
  top_k(x.data(), rows, x.size() / rows, k, hidden, y.ids.data(), y.log_probs.data());
  return y;
}

void expect_twins(const Guarded& x, int64_t rows, int64_t k, std::span<const int32_t> hidden = {}) {
  const Selected got = select(kernels::top_k_log_softmax, x, rows, k, hidden);
  const Selected want = select(kernels::ref::top_k_log_softmax, x, rows, k, hidden);
  EXPECT_EQ(got.ids, want.ids) << "k " << k << ", seed " << kSeed;
  EXPECT_TRUE(same_numbers(got.log_probs, want.log_probs, 1e-6, 1e-6));
}

TEST(TopK, SimdAgreesWithPlainLoops) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      for (Numbers kind : kAllNumbers) {
        Guarded x(kRows * n, offset);
        x.fill(kind, kSeed);
        for (int64_t k : {0, 1, 2, 5, 12, 40})
          if (n > 0) expect_twins(x, kRows, k);
      }
    });
  });
}

TEST(TopK, ChosenIdsAreNeverHiddenOnes) {
  for_each_simd_target([] {
    const std::vector<std::vector<int32_t>> kHidden = {{0}, {0, 2}, {0, 1, 2}, {98}, {5, 6, 40, 97, 98}};
    Guarded x(kRows * 99, 1);
    x.fill(Numbers::kNormal, kSeed);
    for (int64_t r = 0; r < kRows; ++r)
      for (int32_t id : {0, 1, 2, 5, 98}) x.data()[r * 99 + id] += 10;  // they would be chosen
    for (const auto& hidden : kHidden)
      for (int64_t k : {1, 4, 99}) expect_twins(x, kRows, k, hidden);
  });
}

TEST(TopK, OfEqualElementsTheLowerIdComesFirst) {
  for_each_simd_target([] {
    Guarded x(200, 3, -1.5f);
    for (int64_t i : {180, 77, 33, 34}) x.data()[i] = 2.0f;
    const Selected y = select(kernels::top_k_log_softmax, x, 1, 6);
    EXPECT_EQ(y.ids, (std::vector<int32_t>{33, 34, 77, 180, 0, 1}));
  });
}

TEST(TopK, RisingRowsTakeTheLast) {
  for_each_simd_target([] {
    Guarded x(1000, 1);
    for (int64_t i = 0; i < 1000; ++i) x.data()[i] = static_cast<float>(i) * 0.01f;
    for (int64_t k : {1, 3, 1000, 1003}) expect_twins(x, 1, k);
  });
}

TEST(TopK, ARowThatIsNoDistributionHasNoChoice) {
  const float bad[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
  for_each_simd_target([&] {
    for (float value : bad) {
      Guarded x(2 * 70, 1, 0.5f);
      x.data()[66] = value;
      const Selected y = select(kernels::top_k_log_softmax, x, 2, 2);
      EXPECT_EQ(y.ids, (std::vector<int32_t>{-1, -1, 0, 1}));
      EXPECT_EQ(y.log_probs[0], -std::numeric_limits<float>::infinity());
    }
    Guarded hidden(70, 1, -std::numeric_limits<float>::infinity());
    EXPECT_EQ(select(kernels::top_k_log_softmax, hidden, 1, 1).ids, (std::vector<int32_t>{-1}));
  });
}

}  // namespace
}  // namespace fovea::testing
