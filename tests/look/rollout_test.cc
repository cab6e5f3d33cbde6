#include "fovea/look/rollout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/base/random.h"
#include "tests/error_message.h"

namespace fovea::look {
namespace {

using Matrix = std::vector<std::vector<double>>;

Tensor random_attention(Random& random, int64_t heads, int64_t tokens) {
  Tensor weights = Tensor::empty({heads, tokens, tokens});
  float* w = weights.data<float>();
  for (int64_t row = 0; row < heads * tokens; ++row, w += tokens) {
    float sum = 0;
    for (int64_t k = 0; k < tokens; ++k) sum += w[k] = random.uniform(0.01f, 1);
    for (int64_t k = 0; k < tokens; ++k) w[k] /= sum;
  }
  return weights;
}

TEST(Rollout, IsTheProductOfWholeMatrices) {
  constexpr int64_t kHeads = 3, kTokens = 7, kLayers = 4;
  constexpr size_t kN = kTokens;
  Random random(5);
  std::vector<Tensor> layers;
  for (int64_t l = 0; l < kLayers; ++l) layers.push_back(random_attention(random, kHeads, kTokens));
  for (const int64_t token : {0, 3, 6}) {
    const Tensor rolled = rollout(layers, token);
    ASSERT_EQ(rolled.shape(), (Shape{kLayers, kTokens}));
    Matrix r(kN, std::vector<double>(kN));
    for (size_t i = 0; i < kN; ++i) r[i][i] = 1;
    for (int64_t l = 0; l < kLayers; ++l) {
      const float* w = layers[static_cast<size_t>(l)].data<float>();
      Matrix next(kN, std::vector<double>(kN));
      for (size_t i = 0; i < kN; ++i)
        for (size_t j = 0; j < kN; ++j) {
          double mean = 0;
          for (size_t h = 0; h < kHeads; ++h) mean += static_cast<double>(w[(h * kN + i) * kN + j]) / kHeads;
          const double carried = 0.5 * (i == j ? 1 : 0) + 0.5 * mean;
          for (size_t k = 0; k < kN; ++k) next[i][k] += carried * r[j][k];
        }
      r = next;
      double sum = 0;
      for (size_t k = 0; k < kN; ++k) {
        const float got = rolled.data<float>()[static_cast<size_t>(l) * kN + k];
        EXPECT_NEAR(static_cast<double>(got), r[static_cast<size_t>(token)][k], 1e-6) << l << " " << k;
        sum += static_cast<double>(got);
      }
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

TEST(Rollout, RefusesWhatIsNoSquareOfOneSize) {
  using testing::HasSubstr;
  EXPECT_THAT(error_of([] { rollout({}); }), HasSubstr("there are no layers"));
  EXPECT_THAT(error_of([] {
                rollout({Tensor::zeros({1, 3, 3}), Tensor::zeros({1, 4, 4})});
              }),
              HasSubstr("[1, 4, 4]: expected [H, 3, 3]"));
  EXPECT_THAT(error_of([] { rollout({Tensor::zeros({1, 3, 3})}, 3); }), HasSubstr("token 3 of 3"));
}

}  // namespace
}  // namespace fovea::look
