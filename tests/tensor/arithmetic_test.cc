#include "fovea/tensor/arithmetic.h"

#include <gtest/gtest.h>

namespace fovea::tensor {
namespace {

TEST(Broadcast, FollowsNumPy) {
  const Tensor column = Tensor::of<float>({2, 1}, {10, 20}), row = Tensor::of<float>({3}, {1, 2, 3});
  EXPECT_EQ(add(column, row).values<float>(), (std::vector<float>{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(sub(row, column).shape(), (Shape{2, 3}));
  EXPECT_EQ(mul(Tensor::zeros({0, 3}), row).shape(), (Shape{0, 3}));
  EXPECT_EQ(broadcast_to(row, {2, 3}).values<float>(), (std::vector<float>{1, 2, 3, 1, 2, 3}));
}

TEST(Broadcast, NamesShapesThatDoNotFit) {
  try {
    add(Tensor::zeros({2, 3}), Tensor::zeros({2}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "[add] shapes [2, 3] and [2] do not fit: expected equal axes from the last on, or 1");
  }
  EXPECT_THROW(broadcast_to(Tensor::zeros({2, 3}), {3}), Error);
  EXPECT_THROW(add(Tensor::zeros({2}), Tensor::zeros({2}, DType::kF64)), Error);
  EXPECT_THROW(add(Tensor::zeros({2}, DType::kI32), Tensor::zeros({2}, DType::kI32)), Error);
}

TEST(SumTo, AddsUpWhatWasRepeated) {
  const Tensor x = Tensor::of<float>({2, 2, 3}, {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60});
  const auto sum = [&](const Shape& shape) {
    Tensor to = Tensor::full(shape, 1000);
    sum_to(x, to, 1, 1);
    return to.values<float>();
  };
  EXPECT_EQ(sum({}), (std::vector<float>{1231}));
  EXPECT_EQ(sum({3}), (std::vector<float>{1055, 1077, 1099}));
  EXPECT_EQ(sum({2, 1, 1}), (std::vector<float>{1021, 1210}));
  EXPECT_EQ(sum({2, 1}), (std::vector<float>{1066, 1165}));
  EXPECT_EQ(sum({1, 2, 1}), (std::vector<float>{1066, 1165}));
  EXPECT_EQ(sum({2, 1, 3}), (std::vector<float>{1005, 1007, 1009, 1050, 1070, 1090}));
  EXPECT_EQ(sum({2, 2, 3})[0], 1001);
}

}  // namespace
}  // namespace fovea::tensor
