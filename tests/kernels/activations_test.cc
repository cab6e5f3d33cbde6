#include "fovea/kernels/activations.h"

#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

using kernels::Activation;

struct Row {
  const char* name;
  Activation f;
  double relative, absolute;  // allowed error of the value
};
// Sigmoid and what is made of it have an absolute error: (1 + tanh) / 2 cancels far below 0.
const Row kRows[] = {{"exp", Activation::kExp, 4e-7, 1.2e-38},
                     {"log", Activation::kLog, 3e-7, 0},
                     {"sqrt", Activation::kSqrt, 1e-7, 0},
                     {"square", Activation::kSquare, 1e-7, 1e-38},
                     {"tanh", Activation::kTanh, 4e-7, 0},
                     {"sigmoid", Activation::kSigmoid, 0, 2e-7},
                     {"relu", Activation::kRelu, 0, 0},
                     {"gelu", Activation::kGelu, 4e-7, 4e-7},
                     {"gelu_tanh", Activation::kGeluTanh, 4e-7, 2e-6},
                     {"silu", Activation::kSilu, 4e-7, 2e-6},
                     {"quick_gelu", Activation::kQuickGelu, 4e-7, 2e-6}};

TEST(Activations, AgreeWithTheirPlainTwins) {
  for_each_simd_target([] {
    for (const Row& row : kRows) {
      SCOPED_TRACE(row.name);
      for_each_twin([&](int64_t n, int64_t offset) {
        for (const Numbers kind : {Numbers::kNormal, Numbers::kNan}) {
          Guarded x(n, offset), got(n, (offset + 1) % 4), want(n, 0);
          x.fill(kind, 3);
          // Bounded by 10 where x f(x) cancels, so that the absolute error means something.
          if (row.absolute > 1e-7)
            for (int64_t i = 0; i < n; ++i)
              if (std::abs(x.data()[i]) > 10) x.data()[i] = std::copysign(10.0f, x.data()[i]);
          kernels::activate(row.f, x.data(), got.data(), n);
          kernels::ref::activate(row.f, x.data(), want.data(), n);
          ASSERT_TRUE(same_numbers(got, want, row.relative, row.absolute));
        }
      });
    }
  });
}

TEST(Activations, GradientsAgreeWithTheirPlainTwins) {
  for_each_simd_target([] {
    for (const Row& row : kRows) {
      SCOPED_TRACE(row.name);
      for_each_twin([&](int64_t n, int64_t offset) {
        Guarded x(n, offset), dy(n, (offset + 1) % 4), got(n, (offset + 2) % 4), want(n, 0);
        x.fill(Numbers::kNormal, 3);
        // Away from 0, where relu has a corner; only what has no slope below it stays above.
        const bool above = row.f == Activation::kLog || row.f == Activation::kSqrt;
        for (int64_t i = 0; i < n; ++i) {
          const float far = std::abs(x.data()[i]) + 0.01f;
          x.data()[i] = above || x.data()[i] > 0 ? far : -far;
        }
        dy.fill(Numbers::kNormal, 4);
        for (const bool accumulate : {false, true}) {
          kernels::activate_backward(row.f, x.data(), dy.data(), got.data(), n, accumulate);
          kernels::ref::activate_backward(row.f, x.data(), dy.data(), want.data(), n, accumulate);
          ASSERT_TRUE(same_numbers(got, want, 1e-6, 3e-6));
        }
      });
    }
  });
}

// Every magnitude from the smallest number to the largest, both signs: the errors that math-inl.h states.
TEST(Activations, StatedErrorsHoldOverAllMagnitudes) {
  std::vector<float> all, bounded;
  for (uint32_t bits = 0; bits < 0x7f800000u; bits += 40009)
    for (const uint32_t sign : {0u, 0x80000000u}) all.push_back(std::bit_cast<float>(bits | sign));
  for (int i = -20000; i <= 20000; ++i) all.push_back(static_cast<float>(i) * 0.005f);
  for (const float v : all) bounded.push_back(std::clamp(v, -100.0f, 100.0f));
  for_each_simd_target([&] {
    const auto worst = [&](Activation f, auto exact, double relative, double absolute) {
      // Where the error of x f(x) is |x| times that of f, x is bounded.
      const std::vector<float>& x = f == Activation::kGelu || f == Activation::kSilu ? bounded : all;
      std::vector<float> y(x.size());
      const auto n = static_cast<int64_t>(x.size());
      kernels::activate(f, x.data(), y.data(), n);
      for (size_t i = 0; i < x.size(); ++i) {
        const double want = exact(static_cast<double>(x[i]));
        if (std::isnan(want) && std::isnan(y[i])) continue;
        const bool overflow = std::abs(want) > 3.4028235e38;
        if (overflow ? !std::isinf(y[i])
                     : !(std::abs(static_cast<double>(y[i]) - want) <= relative * std::abs(want) + absolute))
          return ::testing::AssertionFailure() << "f(" << x[i] << ") is " << y[i] << ", exactly " << want;
      }
      return ::testing::AssertionSuccess();
    };
    EXPECT_TRUE(worst(
        Activation::kExp, [](double v) { return std::exp(v); }, 3e-7, 1.2e-38));
    EXPECT_TRUE(worst(
        Activation::kTanh, [](double v) { return std::tanh(v); }, 4e-7, 1e-44));
    EXPECT_TRUE(worst(
        Activation::kSigmoid, [](double v) { return 1 / (1 + std::exp(-v)); }, 0, 2e-7));
    EXPECT_TRUE(worst(
        Activation::kLog, [](double v) { return std::log(v); }, 3e-7, 0));
    EXPECT_TRUE(worst(
        Activation::kGelu, [](double v) { return v * std::erfc(-v / std::sqrt(2.0)) / 2; }, 2e-7, 4e-7));
    EXPECT_TRUE(worst(
        Activation::kSilu, [](double v) { return v / (1 + std::exp(-v)); }, 3e-7, 4e-6));
  });
}

TEST(Activations, GeluKeepsItsDigitsInTheLowerTail) {
  for_each_simd_target([] {
    for (float x = -12.5f; x < -0.5f; x += 0.01f) {
      float y = 0;
      kernels::activate(Activation::kGelu, &x, &y, 1);
      const double want = x * std::erfc(-x / std::sqrt(2.0)) / 2;
      ASSERT_NEAR(y / want, 1, 1e-5) << x;
    }
  });
}

}  // namespace
}  // namespace fovea::testing
