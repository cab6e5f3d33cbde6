#include "fovea/autograd/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/random.h"

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

TEST(LinearCrossEntropy, AgreesWithTheLossOfItsLogits) {
  const int64_t rows = 70, classes = 140000;  // two chunks of rows
  Random random(5);
  Tensor x = Tensor::empty({rows, 2}), w = Tensor::empty({classes, 2}), bias = Tensor::empty({classes});
  for (const Tensor* t : {&x, &w, &bias})
    for (float& v : t->span<float>()) v = random.normal();
  Tensor logits = Tensor::empty({rows, classes}), targets = Tensor::empty({rows}, DType::kI32);
  for (int64_t r = 0; r < rows; ++r) {
    targets.data<int32_t>()[r] = static_cast<int32_t>(random.below(classes));
    for (int64_t c = 0; c < classes; ++c)
      logits.data<float>()[r * classes + c] = x.data<float>()[2 * r] * w.data<float>()[2 * c] +
                                              x.data<float>()[2 * r + 1] * w.data<float>()[2 * c + 1] +
                                              bias.data<float>()[c];
  }
  targets.data<int32_t>()[69] = -1;
  const CrossEntropyOptions options{.label_smoothing = 0.1f};
  EXPECT_NEAR(linear_cross_entropy(x, w, bias, targets, options).value().item(),
              cross_entropy(logits, targets, options).value().item(), 1e-4);
}

TEST(LinearCrossEntropy, NeverHoldsAllLogitsAtOnce) {
  const int64_t rows = 4096, classes = 8192, chunk = (int64_t{1} << 23) / classes;
  const Tensor x = Tensor::zeros({rows, 4}), w = Tensor::zeros({classes, 4}),
               targets = Tensor::zeros({rows}, DType::kI32);
  Tensor dx, dw;
  Tape tape;
  const Var vx = variable(x, dx), vw = variable(w, dw);
  pool::reset_peak();
  const int64_t before = pool::stats().bytes_used;
  tape.backward(linear_cross_entropy(vx, vw, Var(), targets));
  EXPECT_LT(pool::stats().bytes_peak - before, chunk * classes * 4 * 5 / 4 + 4 * (x.bytes() + w.bytes()));
  EXPECT_LT(pool::stats().bytes_peak - before, rows * classes * 4 / 3);
}

TEST(LinearCrossEntropy, IgnoringEveryRowGivesZeroLossAndZeroGradient) {
  Tensor dx, dw, dbias;
  Tape tape;
  const Var loss =
      linear_cross_entropy(variable(Tensor::full({3, 2}, 0.5), dx), variable(Tensor::full({7, 2}, 2), dw),
                           variable(Tensor::full({7}, 1), dbias), Tensor::full({3}, -1, DType::kI32));
  EXPECT_EQ(loss.value().item(), 0);
  tape.backward(loss);
  for (const Tensor* t : {&dx, &dw, &dbias})
    for (const float g : t->span<float>()) EXPECT_EQ(g, 0);
}

TEST(LinearCrossEntropy, WrongShapesAndTargetsAreErrors) {
  const auto error = [](const Tensor& x, const Tensor& w, const Tensor& bias, int32_t target) -> std::string {
    try {
      linear_cross_entropy(x, w, bias, Tensor::full({2}, target, DType::kI32));
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  const Tensor x = Tensor::zeros({2, 3}), w = Tensor::zeros({5, 3});
  EXPECT_EQ(error(x, w, Tensor::zeros({5}), 4), "no error");
  EXPECT_THAT(error(x, w, Tensor::zeros({4}), 4),
              HasSubstr("[linear_cross_entropy] the bias is f32 [4]: expected f32 [5]"));
  EXPECT_THAT(error(x, Tensor::zeros({5, 2}), {}, 4), HasSubstr("expected weights [V, 3]"));
  EXPECT_THAT(error(x, w, {}, 5), HasSubstr("the target of row 0 is 5"));
}

}  // namespace
}  // namespace fovea::autograd
