#include <gtest/gtest.h>

#include "tests/autograd/all_cases.h"
#include "tests/autograd/op_checks.h"

namespace fovea::testing {
namespace {

class Operation : public ::testing::TestWithParam<OpCase> {};

std::vector<Shapes> small_and_large(const OpCase& row) {
  std::vector<Shapes> all = row.shapes;
  all.insert(all.end(), row.large.begin(), row.large.end());
  return all;
}

TEST_P(Operation, GradientIsTheDerivative) {
  for (const Shapes& shapes : GetParam().shapes) {
    if (GetParam().gradient_is_exact) {
      EXPECT_TRUE(gradient_is_the_derivative(GetParam(), shapes));
    }
    EXPECT_TRUE(gradients_add_up(GetParam(), shapes));
  }
}

TEST_P(Operation, SinglePrecisionFollowsDouble) {
  for (const Shapes& shapes : small_and_large(GetParam())) EXPECT_TRUE(f32_follows_f64(GetParam(), shapes));
}

TEST_P(Operation, BitsDoNotDependOnThreads) {
  for (const Shapes& shapes : small_and_large(GetParam()))
    EXPECT_TRUE(bits_do_not_depend_on_threads(GetParam(), shapes));
}

INSTANTIATE_TEST_SUITE_P(Table, Operation, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fovea::testing
