#include "fovea/autograd/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fovea::autograd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string error_of(const Tensor& logits, const std::vector<int32_t>& targets,
                     const CrossEntropyOptions& options = {}) {
  try {
    cross_entropy(logits, Tensor::of({static_cast<int64_t>(targets.size())}, targets), options);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(CrossEntropy, IsMinusTheLogarithmOfTheTargetsProbability) {
  const Tensor logits = Tensor::of<float>({2, 2}, {std::log(3.0f), 0, 0, 0});
  const Tensor targets = Tensor::of<int32_t>({2}, {0, 1});
  EXPECT_NEAR(cross_entropy(logits, targets).value().item(), (-std::log(0.75) - std::log(0.5)) / 2, 1e-6);
  EXPECT_NEAR(cross_entropy(logits, targets, {.reduction = Reduction::kSum}).value().item(),
              -std::log(0.75) - std::log(0.5), 1e-6);
  // (1 - s) nll + s mean(-log p) of the first row, with s = 0.2
  const double smoothed = 0.8 * -std::log(0.75) + 0.2 * 0.5 * (-std::log(0.75) - std::log(0.25));
  EXPECT_NEAR(cross_entropy(logits, targets, {.label_smoothing = 0.2f, .ignore_index = 1}).value().item(),
              smoothed, 1e-6);
}

TEST(CrossEntropy, IgnoringEveryRowGivesZeroLossAndZeroGradient) {
  for (const Reduction reduction : {Reduction::kMean, Reduction::kSum}) {
    Tensor grad;
    Tape tape;
    const Var loss =
        cross_entropy(variable(Tensor::full({3, 7}, 0.5), grad), Tensor::full({3}, -1, DType::kI32),
                      {.label_smoothing = 0.1f, .reduction = reduction});
    EXPECT_EQ(loss.value().item(), 0);
    tape.backward(loss);
    for (const float g : grad.span<float>()) EXPECT_EQ(g, 0);
  }
}

TEST(CrossEntropy, TargetOutOfRangeIsAnErrorThatNamesRowAndValue) {
  const Tensor logits = Tensor::zeros({3, 5});
  EXPECT_THAT(error_of(logits, {0, 4, 5}),
              AllOf(HasSubstr("[cross_entropy]"), HasSubstr("row 2 is 5"), HasSubstr("0 to 4")));
  EXPECT_THAT(error_of(logits, {0, -2, 1}), HasSubstr("row 1 is -2"));
  EXPECT_EQ(error_of(logits, {0, -2, 1}, {.ignore_index = -2}), "no error");
  EXPECT_THAT(error_of(logits, {0, 1}), HasSubstr("2 targets for 3 rows"));
  EXPECT_THAT(error_of(logits, {0, 1, 2}, {.label_smoothing = 1.5f}), HasSubstr("label smoothing is 1.5"));
}

TEST(CrossEntropy, CostsNoArrayOfTheLogitsSizeButTheGradient) {
  const int64_t rows = 256, classes = 4096;
  const Tensor logits = Tensor::zeros({rows, classes}), targets = Tensor::zeros({rows}, DType::kI32);
  Tensor grad;
  Tape tape;
  const Var x = variable(logits, grad);
  pool::reset_peak();
  const int64_t before = pool::stats().bytes_used;
  tape.backward(cross_entropy(x, targets, {.label_smoothing = 0.1f}));
  const auto array = static_cast<double>(logits.bytes());
  EXPECT_LT(static_cast<double>(pool::stats().bytes_peak - before), 1.3 * array);
}

}  // namespace
}  // namespace fovea::autograd
