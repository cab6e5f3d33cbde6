#include <gtest/gtest.h>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/pooling.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/base/parallel.h"
#include "fovea/nn/channel_norm.h"
#include "fovea/nn/convolution.h"
#include "tests/count_allocations.h"

namespace fovea::nn {
namespace {

using autograd::Tape;
using autograd::Var;
using fovea::testing::count_allocations;

Tensor normal_pictures(const Shape& shape, uint64_t seed) {
  Random random(seed);
  return normal(shape, 1, random);
}

// Two convolutions with norms, pooling and a linear layer, trained to say one number a picture.
struct SmallNet {
  Random random{5};
  Convolution first{{.in = 3, .out = 16, .kernel = 3, .padding = 1, .bias = false}, random};
  BatchNorm norm{16};
  Convolution second{{.in = 16, .out = 24, .kernel = 3, .stride = 2, .padding = 1}, random};
  GroupNorm groups{4, 24};
  Convolution third{{.in = 24, .out = 24, .kernel = 3, .padding = 1, .groups = 24}, random};
  Linear out{24, 1, true, random};
  ParameterList list;
  Tensor x = normal_pictures({8, 12, 12, 3}, 1), target = normal_pictures({8, 1}, 2);

  SmallNet() {
    first.collect("first.", list);
    norm.collect("norm.", list);
    second.collect("second.", list);
    groups.collect("groups.", list);
    third.collect("third.", list);
    out.collect("out.", list);
  }
  double step() {
    double value = 0;
    {
      Tape tape;
      Var h = autograd::max_pool(autograd::relu(norm(first(x), true)), {.kernel = 2});
      h = third(autograd::relu(groups(second(h))));
      const Var error = out(autograd::global_average_pool(h)) - Var(target),
                loss = autograd::mean(error * error);
      value = loss.value().item();
      tape.backward(loss);
    }
    for (Parameter* p : list) {
      for (int64_t i = 0; i < p->value.size(); ++i)
        p->value.data<float>()[i] -= 0.05f * p->grad.data<float>()[i];
      p->clear_grad();
    }
    return value;
  }
};

TEST(PictureLayers, ATrainingStepAfterTheFirstAllocatesNothing) {
  set_threads(1);
  SmallNet net;
  const double first = net.step();
  for (int i = 0; i < 3; ++i) net.step();
  double last = 0;
  EXPECT_EQ(count_allocations([&] {
              for (int i = 0; i < 40; ++i) last = net.step();
            }),
            0);
  EXPECT_LT(last, 0.5 * first);
  set_threads(0);
}

TEST(PictureLayers, TrainingGivesTheSameBitsOnAnyNumberOfThreads) {
  const auto train = [](int threads) {
    set_threads(threads);
    SmallNet net;
    std::vector<double> losses;
    for (int i = 0; i < 4; ++i) losses.push_back(net.step());
    set_threads(0);
    return losses;
  };
  const std::vector<double> one = train(1);
  EXPECT_EQ(train(2), one);
  EXPECT_EQ(train(3), one);
}

TEST(PictureLayers, PatchEmbeddingIsAConvolutionWhoseStrideIsItsKernel) {
  Random random(7);
  PatchEmbedding patches(3, 10, 4, true, random);
  ParameterList list;
  patches.collect("", list);
  const Tensor x = normal_pictures({2, 8, 12, 3}, 9);
  const Tensor y = patches(x).value();
  const Tensor want = autograd::convolution(x, list[0]->value, list[1]->value, {.stride = 4}).value();
  ASSERT_EQ(y.shape(), (Shape{2, 6, 10}));
  for (int64_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y.data<float>()[i], want.data<float>()[i], 1e-5);
}

TEST(BatchNorm, RunningStatisticsFollowTheBatches) {
  BatchNorm norm(2);
  StateList state;
  norm.collect_state("norm.", state);
  EXPECT_EQ(state[0].first, "norm.running_mean");
  EXPECT_EQ(state[1].first, "norm.running_var");
  const Tensor x = Tensor::of({1, 2, 2, 2}, std::vector<float>{1, 10, 2, 10, 3, 10, 6, 10});
  const Tensor y = norm(x, true).value();
  EXPECT_NEAR(y.data<float>()[6], 3 / std::sqrt(3.5), 1e-5);  // mean 3, variance 3.5
  EXPECT_NEAR(state[0].second.data<float>()[0], 0.3, 1e-6);
  EXPECT_NEAR(state[1].second.data<float>()[0], 0.9 + 0.1 * 3.5 * 4 / 3, 1e-6);
  EXPECT_NEAR(state[1].second.data<float>()[1], 0.9, 1e-6);
  const Tensor alone = norm(x, false).value();
  EXPECT_NEAR(alone.data<float>()[0], (1 - 0.3) / std::sqrt(0.9 + 0.1 * 3.5 * 4 / 3), 1e-5);
}

TEST(Convolution, StartsAsPyTorchsDoes) {
  Random random(3);
  Convolution layer({.in = 8, .out = 64, .kernel = 3, .groups = 2}, random);
  ParameterList list;
  layer.collect("c.", list);
  EXPECT_EQ(list[0]->name, "c.weight");
  EXPECT_EQ(list[0]->value.shape(), (Shape{64, 3, 3, 4}));
  float most = 0;
  for (const float v : list[0]->value.span<float>()) most = std::max(most, std::abs(v));
  EXPECT_LE(most, 1.0f / 6);
  EXPECT_GE(most, 0.99f / 6);
}

}  // namespace
}  // namespace fovea::nn
