#include "fovea/autograd/embedding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fovea::autograd {
namespace {

TEST(Embedding, IdOutOfRangeIsAnErrorThatNamesPlaceAndValue) {
  const Tensor table = Tensor::zeros({3, 2});
  for (const int32_t wrong : {-1, 3}) {
    try {
      embedding(table, Tensor::of<int32_t>({2}, {0, wrong}));
      ADD_FAILURE() << wrong << " was accepted";
    } catch (const Error& e) {
      EXPECT_THAT(e.what(),
                  ::testing::HasSubstr(fmt::format("[embedding] id 1 is {}: expected 0 to 2", wrong)));
    }
  }
}

TEST(Embedding, RepeatedIdsAddUp) {
  Tensor grad;
  Tape tape;
  const Var y = embedding(variable(Tensor::zeros({3, 1}), grad), Tensor::of<int32_t>({2, 2}, {2, 0, 2, 2}));
  tape.backward(y, Tensor::of<float>({2, 2, 1}, {1, 10, 100, 1000}));
  EXPECT_EQ(grad.values<float>(), (std::vector<float>{10, 0, 1101}));
}

}  // namespace
}  // namespace fovea::autograd
