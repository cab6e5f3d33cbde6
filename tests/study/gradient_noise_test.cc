#include "fovea/study/gradient_noise.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/reduce.h"

namespace fovea::study {
namespace {

// A net of two weights whose gradient is (10, 2 * step), and a buffer that every cost moves.
class Noisy final : public models::Net {
 public:
  Noisy() : weight_{.name = "w", .value = Tensor::full({2}, 1), .grad = {}} {}
  nlohmann::json config() const override { return {}; }
  nn::ParameterList parameters() override { return {&weight_}; }
  std::vector<NamedTensor> buffers() override { return {{"b", buffer_}}; }
  models::Cost cost(const data::Batch& batch, const models::CostOptions& options) override {
    EXPECT_TRUE(options.training);
    EXPECT_EQ(buffer_.item(), 5) << "every draw begins with the same buffers";
    buffer_.fill(6);
    const Tensor gradient = Tensor::empty({2});
    gradient.data<float>()[0] = 10 * static_cast<float>(batch.target_tokens);
    gradient.data<float>()[1] =
        2 * static_cast<float>(options.step) * static_cast<float>(batch.target_tokens);
    return {autograd::sum(autograd::mul(autograd::watch(weight_), gradient)), 0, batch.target_tokens};
  }

  nn::Parameter weight_;
  Tensor buffer_ = Tensor::full({1}, 5);
};

TEST(GradientNoise, IsTheVarianceOverDrawsBesideTheSquaredMean) {
  Noisy net;
  data::Batch batch;
  batch.target_tokens = 4;
  const GradientNoise noise = *gradient_noise(net, batch, 3);  // 0, 2, 4
  EXPECT_NEAR(noise.variance, 4, 1e-9);
  EXPECT_NEAR(noise.squared_mean, 104, 1e-9);
  EXPECT_NEAR(noise.ratio(), 4.0 / 104, 1e-9);
  EXPECT_EQ(net.buffer_.item(), 5);
  EXPECT_EQ(net.weight_.value.data<float>()[0], 1);
}

TEST(GradientNoise, StopsWhenItIsToldTo) {
  Noisy net;
  data::Batch batch;
  batch.target_tokens = 1;
  int asked = 0;
  EXPECT_FALSE(gradient_noise(net, batch, 10, [&] { return ++asked == 4; }).has_value());
  EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace fovea::study
