#include "fovea/tensor/matmul.h"

#include <gtest/gtest.h>

namespace fovea::tensor {
namespace {

std::string error_of(const Shape& a, const Shape& b, bool ta = false, bool tb = false) {
  try {
    matmul(Tensor::zeros(a), Tensor::zeros(b), ta, tb);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Matmul, SaysWhichShapesDoNotFit) {
  EXPECT_EQ(error_of({3}, {3, 2}), "[matmul] [3] x [3, 2]: expected two axes or more on both sides");
  EXPECT_EQ(error_of({2, 3}, {4, 2}), "[matmul] [2, 3] x [4, 2]: 3 columns meet 4 rows");
  EXPECT_EQ(error_of({3, 2}, {4, 2}, true), "[matmul] [3, 2] transposed x [4, 2]: 3 columns meet 4 rows");
  EXPECT_EQ(error_of({5, 2, 3}, {4, 3, 2}),
            "[matmul] [5, 2, 3] x [4, 3, 2]: expected equal leading axes, or two axes on the right");
  EXPECT_THROW(matmul(Tensor::zeros({2, 2}), Tensor::zeros({2, 2}, DType::kF64)), Error);
  EXPECT_THROW(matmul(Tensor::zeros({2, 2}, DType::kI32), Tensor::zeros({2, 2}, DType::kI32)), Error);
}

TEST(Matmul, MultipliesEachMatrixOfABatchByItsOwnOrBySharedOne) {
  const Tensor a = Tensor::of<float>({2, 1, 2}, {1, 2, 3, 4}),
               b = Tensor::of<float>({2, 2, 1}, {1, 1, 10, 100});
  EXPECT_EQ(matmul(a, b).values<float>(), (std::vector<float>{3, 430}));
  EXPECT_EQ(matmul(a, Tensor::of<float>({2, 1}, {1, 10})).values<float>(), (std::vector<float>{21, 43}));
  EXPECT_EQ(matmul(a, b).shape(), (Shape{2, 1, 1}));
}

TEST(Linear, ChecksWeightsAndBias) {
  EXPECT_THROW(linear(Tensor::zeros({2, 3}), Tensor::zeros({4, 2}), {}), Error);
  EXPECT_THROW(linear(Tensor::zeros({2, 3}), Tensor::zeros({4, 3}), Tensor::zeros({3})), Error);
  EXPECT_EQ(linear(Tensor::full({2, 3}, 1), Tensor::full({1, 3}, 2), Tensor::full({1}, 0.5)).values<float>(),
            (std::vector<float>{6.5, 6.5}));
}

}  // namespace
}  // namespace fovea::tensor
