#include "fovea/tensor/shape_ops.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fovea/tensor/reduce.h"

namespace fovea::tensor {
namespace {

Tensor counted(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.size()));
  std::iota(values.begin(), values.end(), 0.0f);
  return Tensor::of(shape, values);
}

TEST(Permute, PutsEveryElementWhereItsIndexSays) {
  const Tensor x = counted({2, 3, 4, 5});
  for (const std::vector<int>& order : {std::vector<int>{0, 1, 2, 3},
                                        {3, 2, 1, 0},
                                        {0, 2, 1, 3},
                                        {1, 0, 3, 2},
                                        {2, 3, 0, 1},
                                        {0, -1, 1, 2}}) {
    const Tensor y = permute(x, order);
    int64_t in[4];
    for (int64_t i = 0; i < x.size(); ++i) {
      int64_t rest = i;
      for (int axis = 3; axis >= 0; --axis) {
        in[axis] = rest % x.dim(axis);
        rest /= x.dim(axis);
      }
      int64_t at = 0;
      for (int axis = 0; axis < 4; ++axis)
        at = at * y.dim(axis) + in[(order[static_cast<size_t>(axis)] + 4) % 4];
      ASSERT_EQ(y.data<float>()[at], x.data<float>()[i]);
    }
  }
  EXPECT_EQ(permute(Tensor::of<int32_t>({1, 2}, {1, 2}), {1, 0}).values<int32_t>(),
            (std::vector<int32_t>{1, 2}));
  EXPECT_THROW(permute(x, {0, 1, 2}), Error);
  EXPECT_THROW(permute(x, {0, 1, 2, 2}), Error);
}

TEST(Concat, JoinsAlongTheAxisAndNamesWhatDoesNotFit) {
  const std::vector<Tensor> parts = {counted({2, 1}), counted({2, 2})};
  EXPECT_EQ(concat(parts, 1).values<float>(), (std::vector<float>{0, 0, 1, 1, 2, 3}));
  try {
    concat(parts, 0);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[concat] f32 [2, 2] after f32 [2, 1]: expected axes equal but for axis 0");
  }
  EXPECT_THROW(concat({}, 0), Error);
}

TEST(Slice, TakesARangeOrSaysWhatIsWrong) {
  const Tensor x = counted({2, 3});
  EXPECT_EQ(slice(x, -1, 1, 3).values<float>(), (std::vector<float>{1, 2, 4, 5}));
  EXPECT_TRUE(slice(x, 0, 1, 2).shares_storage(x));
  EXPECT_THROW(slice(x, 1, 2, 4), Error);
  EXPECT_THROW(slice(x, 1, 2, 1), Error);
  EXPECT_THROW(slice(x, 2, 0, 1), Error);
}

TEST(Pad, PutsAValueAround) {
  EXPECT_EQ(pad(counted({2, 1}), 1, 1, 2, -1).values<float>(),
            (std::vector<float>{-1, 0, -1, -1, -1, 1, -1, -1}));
  EXPECT_THROW(pad(counted({2}), 0, -1, 0, 0), Error);
}

TEST(Reduce, AnEmptyAxisSumsToZeroAndHasNoMeanOrMaximum) {
  const Tensor x = Tensor::zeros({2, 0});
  EXPECT_EQ(sum(x, 1).values<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(sum(x).item(), 0);
  EXPECT_THROW(mean(x), Error);
  EXPECT_THROW(mean(x, 1), Error);
  EXPECT_THROW(max(x, 1), Error);
  EXPECT_EQ(max(counted({2, 3}), 0).at.values<int32_t>(), (std::vector<int32_t>{1, 1, 1}));
}

}  // namespace
}  // namespace fovea::tensor
