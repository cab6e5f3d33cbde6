#include "fovea/autograd/norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fovea::autograd {
namespace {

using ::testing::HasSubstr;

template <typename F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(ResidualNorm, SumIsTheSumAndNormedIsTheNormOfIt) {
  const Tensor x = Tensor::of<float>({1, 4}, {1, 2, 3, 4}),
               residual = Tensor::of<float>({1, 4}, {1, -2, 5, 0});
  const Tensor gain = Tensor::full({4}, 2), bias = Tensor::full({4}, 0.5);
  const ResidualNorm both = residual_layer_norm(x, residual, gain, bias);
  EXPECT_EQ(both.sum.value().values<float>(), (std::vector<float>{2, 0, 8, 4}));
  EXPECT_EQ(both.normed.value().values<float>(), layer_norm(both.sum, gain, bias).value().values<float>());
}

TEST(ResidualNorm, BackwardMakesOneArrayForTheWholeResidualPathBesideTheLeafsOwn) {
  const Shape shape{512, 1024};
  const Tensor x = Tensor::full(shape, 1), residual = Tensor::full(shape, 2), dy = Tensor::full(shape, 1);
  Tensor dx, dresidual, dgain;
  Tape tape;
  const Var gain = variable(Tensor::full({1024}, 1), dgain);
  const ResidualNorm both = residual_rms_norm(variable(x, dx), Var(residual), gain);
  pool::reset_peak();
  const int64_t before = pool::stats().bytes_used;
  tape.backward(both.normed, dy);
  // Two arrays, each a quarter larger in the pool than its elements.
  EXPECT_LT(static_cast<double>(pool::stats().bytes_peak - before), 2.6 * static_cast<double>(x.bytes()));
}

TEST(LayerNorm, WrongShapesAreErrorsThatNameThem) {
  const Tensor x = Tensor::zeros({2, 4}), gain = Tensor::zeros({4}), wide = Tensor::zeros({5});
  EXPECT_THAT(error_of([&] { layer_norm(x, wide, Var()); }),
              HasSubstr("[layer_norm] the gain has shape [5]: expected [4]"));
  EXPECT_THAT(error_of([&] { layer_norm(x, gain, wide); }), HasSubstr("the bias has shape [5]"));
  EXPECT_THAT(error_of([&] { rms_norm(x, Var()); }), HasSubstr("[rms_norm] the gain is undefined"));
  EXPECT_THAT(error_of([&] { rms_norm(Tensor::zeros({}), gain); }), HasSubstr("a scalar has no rows"));
  EXPECT_THAT(error_of([&] {
                residual_rms_norm(x, Tensor::zeros({4, 2}), gain);
              }),
              HasSubstr("the residual is f32 [4, 2]"));
  EXPECT_THAT(error_of([&] { rms_norm(x, gain, -1); }), HasSubstr("eps is -1"));
}

}  // namespace
}  // namespace fovea::autograd
