#include "fovea/autograd/dropout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fovea::autograd {
namespace {

TEST(Dropout, DropsAnotherPartAtEachStepAndTheSamePartAgain) {
  const Tensor x = Tensor::full({1000}, 1);
  const auto values = [&](uint64_t seed, uint64_t step) {
    return dropout(x, 0.5f, seed, step).value().values<float>();
  };
  EXPECT_EQ(values(1, 2), values(1, 2));
  EXPECT_NE(values(1, 2), values(1, 3));
  EXPECT_NE(values(1, 2), values(2, 2));
}

TEST(Dropout, GradientIsZeroExactlyWhereTheValueIs) {
  Tensor grad;
  Tape tape;
  const Var y = dropout(variable(Tensor::full({1000}, 1), grad), 0.25f, 8, 9);
  tape.backward(y, Tensor::full({1000}, 1));
  EXPECT_EQ(grad.values<float>(), y.value().values<float>());
}

TEST(Dropout, AtRateZeroItIsTheInputItself) {
  const Tensor x = Tensor::full({10}, 1);
  EXPECT_TRUE(dropout(x, 0, 1, 1).value().shares_storage(x));
}

TEST(Dropout, RateOutsideTheRangeIsAnError) {
  const Tensor x = Tensor::full({10}, 1);
  for (const float rate : {-0.1f, 1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    try {
      dropout(x, rate, 1, 1);
      ADD_FAILURE() << rate << " was accepted";
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr("[dropout] the rate is"));
    }
  }
}

}  // namespace
}  // namespace fovea::autograd
