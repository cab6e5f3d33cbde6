// The checks themselves: a right operation passes, and each kind of mistake is found.
#include "tests/autograd/op_checks.h"

#include <atomic>

namespace fovea::testing {
namespace {

// y = x^2, and a gradient of `slope` x dy that is added, or put in place of what is there.
Var square(const Var& x, double slope, bool adds = true) {
  Tensor y = x.value().copy();
  for_float(y.dtype(), "square", [&](auto t) {
    for (auto& v : y.span<decltype(t)>()) v *= v;
  });
  const Tensor kept = x.value();
  return autograd::record("square", {x}, y, [kept, slope, adds](const Tensor& dy, autograd::Grads& grads) {
    grads.add(0, [&](Tensor& dx) {
      for_float(dx.dtype(), "square", [&](auto t) {
        using T = decltype(t);
        for (int64_t i = 0; i < dx.size(); ++i) {
          T& sum = dx.data<T>()[i];
          sum = (adds ? sum : T{0}) + static_cast<T>(slope) * kept.data<T>()[i] * dy.data<T>()[i];
        }
      });
    });
  });
}

OpCase square_case(double slope, bool adds = true) {
  return {
      .name = "square", .run = [=](auto& in) { return square(in[0], slope, adds); }, .shapes = {{{3, 5}}}};
}
const Shapes kSmall = {{3, 5}}, kLarge = {{17, 31}}, kEmpty = {{0, 5}};

TEST(OpChecks, ARightOperationPasses) {
  for (const Shapes& shapes : {kSmall, kLarge, kEmpty}) {
    EXPECT_TRUE(gradient_is_the_derivative(square_case(2), shapes));
    EXPECT_TRUE(gradients_add_up(square_case(2), shapes));
    EXPECT_TRUE(f32_follows_f64(square_case(2), shapes));
    EXPECT_TRUE(bits_do_not_depend_on_threads(square_case(2), shapes));
  }
}

TEST(OpChecks, AGradientOffByAFewMillionthsIsFound) {
  for (const Shapes& shapes : {kSmall, kLarge})
    EXPECT_FALSE(gradient_is_the_derivative(square_case(2 + 5e-6), shapes));
}

TEST(OpChecks, AGradientThatReplacesInsteadOfAddingIsFound) {
  EXPECT_TRUE(gradient_is_the_derivative(square_case(2, false), kSmall));
  EXPECT_FALSE(gradients_add_up(square_case(2, false), kSmall));
}

TEST(OpChecks, ACutGradientIsFound) {
  const OpCase cut = {
      .name = "cut", .run = [](auto& in) { return square(Var(in[0].value()), 2); }, .shapes = {}};
  EXPECT_FALSE(gradient_is_the_derivative(cut, kSmall));
}

TEST(OpChecks, LowPrecisionAndNaNAreFound) {
  const auto off_by = [](float error) {
    return OpCase{.name = "off",
                  .run =
                      [error](auto& in) {
                        Tensor y = in[0].value().copy();
                        if (y.dtype() == DType::kF32) y.data<float>()[0] += error;
                        return Var(y);
                      },
                  .shapes = {}};
  };
  EXPECT_TRUE(f32_follows_f64(off_by(0), kSmall));
  EXPECT_FALSE(f32_follows_f64(off_by(1e-4f), kSmall));
  EXPECT_FALSE(f32_follows_f64(off_by(std::numeric_limits<float>::quiet_NaN()), kSmall));
}

TEST(OpChecks, BitsThatChangeAreFound) {
  const OpCase by_threads = {.name = "threads",
                             .run =
                                 [](auto& in) {
                                   Tensor y = in[0].value().copy();
                                   y.data<float>()[0] += static_cast<float>(threads()) * 1e-6f;
                                   return Var(y);
                                 },
                             .shapes = {}};
  EXPECT_FALSE(bits_do_not_depend_on_threads(by_threads, kSmall));
  std::atomic<int> runs{0};
  const OpCase by_run = {.name = "run",
                         .run =
                             [&](auto& in) {
                               Tensor y = in[0].value().copy();
                               y.data<float>()[0] += ++runs == 3 ? 1.0f : 0.0f;
                               return Var(y);
                             },
                         .shapes = {}};
  EXPECT_FALSE(bits_do_not_depend_on_threads(by_run, kSmall));
}

}  // namespace
}  // namespace fovea::testing
