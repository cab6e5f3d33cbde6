#include <gtest/gtest.h>

#include "fovea/autograd/channel_norm.h"
#include "fovea/autograd/convolution.h"
#include "fovea/autograd/pooling.h"
#include "fovea/base/random.h"
#include "tests/error_message.h"

namespace fovea::autograd {
namespace {

Var zeros(const Shape& shape) { return Tensor::zeros(shape); }

TEST(Convolution, WrongShapesAreNamedInOneLine) {
  const Var x = zeros({2, 8, 8, 6}), w = zeros({4, 3, 3, 6}), none;
  EXPECT_EQ(error_of([&] {
              convolution(zeros({8, 8, 6}), w, none);
            }),
            "[convolution] the input has shape [8, 8, 6]: expected pictures [B, height, width, channels]");
  EXPECT_EQ(error_of([&] {
              convolution(x, zeros({4, 3, 3, 5}), none);
            }),
            "[convolution] the weights [4, 3, 3, 5] read 5 channels and the picture [2, 8, 8, 6] has 6");
  EXPECT_EQ(error_of([&] {
              convolution(x, zeros({4, 3, 3, 6}), none, {.groups = 2});
            }),
            "[convolution] the weights [4, 3, 3, 6] read 6 channels and the picture [2, 8, 8, 6] has 6 in 2 "
            "groups");
  EXPECT_EQ(error_of([&] { convolution(x, w, none, {.groups = 4}); }),
            "[convolution] 4 groups do not divide 6 channels in and 4 out evenly");
  EXPECT_EQ(error_of([&] { convolution(x, w, zeros({5})); }),
            "[convolution] the bias is f32 [5]: expected f32 [4], the channels out");
  EXPECT_EQ(error_of([&] { convolution(x, w, none, {.dilation = 4}); }),
            "[convolution] a kernel that reaches over 9 does not fit into a height of 8 with a padding of 0: "
            "give more padding or a "
            "smaller kernel");
  EXPECT_EQ(error_of([&] { convolution(x, w, none, {.stride = 0}); }),
            "[convolution] stride 0, dilation 1, groups 1, padding 0: expected 1 or more, and 0 or more for "
            "the padding");
  EXPECT_EQ(error_of([&] {
              convolution(x, zeros({4, 6}), none);
            }),
            "[convolution] the weights have shape [4, 6]: expected [channels out, kernel height, kernel "
            "width, channels in / groups]");
}

TEST(Pooling, WrongShapesAreNamedInOneLine) {
  EXPECT_EQ(error_of([&] {
              max_pool(zeros({1, 2, 2, 1}), {.kernel = 3});
            }),
            "[max_pool] a kernel of 3 with a padding of 0 does not fit into a picture of 2 x 2");
  EXPECT_EQ(error_of([&] {
              average_pool(zeros({1, 2, 2, 1}), {.kernel = 2, .padding = 2});
            }),
            "[average_pool] a padding of 2: expected at most half of the kernel's 2");
  EXPECT_EQ(error_of([&] {
              resample(zeros({1, 2, 2, 1}), 0, 4, Resampling::kNearest);
            }),
            "[resample] a picture of 2 x 2 at 0 x 4: expected sizes of 1 or more");
  EXPECT_EQ(error_of([&] {
              patches(zeros({1, 6, 4, 1}), 4);
            }),
            "[patches] pictures of 6 x 4 are not cut evenly into patches of 4 x 4");
}

TEST(ChannelNorm, WrongShapesAreNamedInOneLine) {
  EXPECT_EQ(error_of([&] {
              group_norm(zeros({1, 2, 2, 6}), zeros({6}), zeros({6}), 4);
            }),
            "[group_norm] 4 groups do not divide 6 channels evenly");
  EXPECT_EQ(error_of([&] {
              batch_norm(zeros({1, 2, 2, 6}), zeros({5}), zeros({6}));
            }),
            "[batch_norm] the gain is f32 [5]: expected f32 [6], the channels of the pictures");
}

// A picture has the bits it would have alone.
TEST(Convolution, APictureDoesNotDependOnTheOthers) {
  Random random(3);
  const auto normal = [&](const Shape& shape) {
    Tensor x = Tensor::empty(shape);
    for (float& v : x.span<float>()) v = random.normal();
    return x;
  };
  const Tensor x = normal({9, 10, 10, 16}), bias = normal({40});
  for (const int64_t stride : {1, 2}) {
    const Tensor w = normal({40, 3, 3, 16});
    const Tensor all = convolution(x, w, bias, {.stride = stride, .padding = 1}).value();
    for (int64_t b = 0; b < 9; ++b)
      EXPECT_EQ(
          convolution(x.slice(b, b + 1), w, bias, {.stride = stride, .padding = 1}).value().values<float>(),
          all.slice(b, b + 1).values<float>());
  }
}

}  // namespace
}  // namespace fovea::autograd
