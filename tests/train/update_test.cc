#include "fovea/train/update.h"

#include <gtest/gtest.h>

#include "fovea/nn/parameter_buffer.h"
#include "tests/models/random_batch.h"
#include "tests/train/tiny_model.h"

namespace fovea::train {
namespace {

using testing::TinyModel;

TEST(Updater, ParametersAndGradientsLieInOneBufferEachAndStayThere) {
  TinyModel model(models::kSource, models::kTarget, 3);
  Optimizer optimizer({.clip_norm = 1});
  Updater update(model, optimizer, {});
  const nn::ParameterList parameters = model.parameters();
  std::vector<const float*> places;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) {
      EXPECT_TRUE(nn::are_neighbours(*parameters[i - 1], *parameters[i]));
    }
    places.push_back(parameters[i]->value.data<float>());
    places.push_back(parameters[i]->grad.data<float>());
  }
  const std::vector<float> first = parameters[0]->value.values<float>();
  for (uint64_t step = 0; step < 4; ++step) {
    const data::Batch batches[] = {models::random_batch({{5, 4}, {2, 6}}, step),
                                   models::random_batch({{3, 3}}, step + 9)};
    EXPECT_FALSE(update(batches, static_cast<int64_t>(2 * step), 1e-2).skipped);
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_TRUE(parameters[i]->has_grad());
    EXPECT_EQ(parameters[i]->value.data<float>(), places[2 * i]);
    EXPECT_EQ(parameters[i]->grad.data<float>(), places[2 * i + 1]);
  }
  EXPECT_NE(parameters[0]->value.values<float>(), first);
}

}  // namespace
}  // namespace fovea::train
