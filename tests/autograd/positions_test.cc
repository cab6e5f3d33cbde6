#include "fovea/autograd/positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fovea::autograd {
namespace {

using ::testing::HasSubstr;

template <typename F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Rope, TurnsElementIWithElementIPlusHalf) {
  Tensor x = Tensor::zeros({1, 2, 1, 4});
  x.data<float>()[4] = 1;  // token 1, element 0
  x.data<float>()[7] = 2;  // token 1, element 3
  const Tensor y = rope(x, 5, 100).value();
  const float* turned = y.data<float>() + 4;
  EXPECT_NEAR(turned[0], std::cos(6.0), 1e-6);  // pair 0 turns by p
  EXPECT_NEAR(turned[2], std::sin(6.0), 1e-6);
  EXPECT_NEAR(turned[1], -2 * std::sin(0.6), 1e-6);  // pair 1 by p / 100^(2/4)
  EXPECT_NEAR(turned[3], 2 * std::cos(0.6), 1e-6);
}

TEST(Rope, DotProductsDependOnTheDistanceOfPositionsOnly) {
  const Tensor q = Tensor::of<float>({1, 1, 1, 4}, {1, -2, 0.5, 3}),
               k = Tensor::of<float>({1, 1, 1, 4}, {2, 1, -1, 0.25});
  auto score = [&](int64_t p, int64_t r) {
    const Tensor a = rope(q, p).value(), b = rope(k, r).value();
    double sum = 0;
    for (int64_t i = 0; i < 4; ++i) sum += static_cast<double>(a.data<float>()[i]) * b.data<float>()[i];
    return sum;
  };
  EXPECT_NEAR(score(3, 7), score(1003, 1007), 1e-5);
  EXPECT_GT(std::abs(score(3, 7) - score(3, 8)), 1e-2);
}

TEST(Rope, ContinuesWhereALongerSequenceWouldBe) {
  const Tensor x = Tensor::full({1, 6, 2, 8}, 0.5);
  const Tensor whole = rope(x, 0).value().reshape({6, 16}).slice(4, 6);
  const Tensor part = rope(Tensor::full({1, 2, 2, 8}, 0.5), 4).value();
  EXPECT_EQ(whole.values<float>(), part.values<float>());
}

TEST(Rope, WrongShapesAreErrors) {
  EXPECT_THAT(error_of([] {
                rope(Tensor::zeros({2, 3}), 0);
              }),
              HasSubstr("[rope] the input has shape [2, 3]"));
  EXPECT_THAT(error_of([] { rope(Tensor::zeros({1, 2, 1, 3}), 0); }), HasSubstr("heads are 3 wide"));
  EXPECT_THAT(error_of([] {
                rope(Tensor::zeros({1, 2, 1, 4}), tensor::rotary_table(3, 4));
              }),
              HasSubstr("a table of shape [3, 2]"));
  EXPECT_THAT(error_of([] {
                rope(Tensor::zeros({1, 2, 1, 4}, DType::kF64), tensor::rotary_table(2, 4));
              }),
              HasSubstr("differ in type"));
}

TEST(SinusoidalPositions, AreSinesAtEvenAndCosinesAtOddElements) {
  const Tensor y = tensor::sinusoidal_positions(3, 5, 2);
  ASSERT_EQ(y.shape(), Shape({3, 5}));
  for (int64_t row = 0; row < 3; ++row) {
    const double p = static_cast<double>(row) + 2;
    EXPECT_NEAR(y.data<float>()[row * 5 + 0], std::sin(p), 1e-6);
    EXPECT_NEAR(y.data<float>()[row * 5 + 1], std::cos(p), 1e-6);
    EXPECT_NEAR(y.data<float>()[row * 5 + 2], std::sin(p / std::pow(10000.0, 0.4)), 1e-6);
    EXPECT_NEAR(y.data<float>()[row * 5 + 3], std::cos(p / std::pow(10000.0, 0.4)), 1e-6);
    EXPECT_NEAR(y.data<float>()[row * 5 + 4], std::sin(p / std::pow(10000.0, 0.8)), 1e-6);
  }
}

}  // namespace
}  // namespace fovea::autograd
