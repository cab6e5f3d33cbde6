#include "fovea/nn/parameter_buffer.h"

#include <gtest/gtest.h>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/reduce.h"

namespace fovea::nn {
namespace {

// Three parameters whose sizes fill no whole number of cache lines, and one of none.
struct Some {
  Random random{5};
  Parameter a{"a", normal({3, 5}, 1, random), {}}, b{"b", normal({7}, 1, random), {}},
      none{"none", Tensor::zeros({0, 2}), {}}, c{"c", normal({16}, 1, random), {}};
  ParameterList all{&a, &b, &none, &c};
};

TEST(ParameterBuffer, KeepsValuesAndGradients) {
  Some some;
  some.b.grad = normal({7}, 1, some.random);
  std::vector<std::vector<float>> values;
  for (const Parameter* p : some.all) values.push_back(p->value.values<float>());
  const std::vector<float> grad = some.b.grad.values<float>();
  gather(some.all);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(some.all[i]->value.values<float>(), values[i]);
    EXPECT_EQ(some.all[i]->has_grad(), some.all[i] == &some.b);
    EXPECT_EQ(some.all[i]->grad.shape(), some.all[i]->value.shape());
  }
  EXPECT_EQ(some.b.grad.values<float>(), grad);
}

TEST(ParameterBuffer, IsOneBlockOfValuesAndOneOfGradientsInTheSameLayout) {
  Some some;
  gather(some.all);
  for (size_t i = 0; i < some.all.size(); ++i) {
    const Parameter& p = *some.all[i];
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p.value.data<float>()) % 64, 0u);
    EXPECT_EQ(p.value.data<float>() - some.a.value.data<float>(),
              p.grad.data<float>() - some.a.grad.data<float>());
    EXPECT_TRUE(p.value.shares_storage(some.a.value));
    EXPECT_TRUE(p.grad.shares_storage(some.a.grad));
    if (i > 0) {
      EXPECT_TRUE(are_neighbours(*some.all[i - 1], p));
    }
  }
  EXPECT_FALSE(are_neighbours(some.a, some.c));
}

TEST(ParameterBuffer, GatheringAgainMovesNothing) {
  Some some;
  gather(some.all);
  const float *value = some.c.value.data<float>(), *grad = some.c.grad.data<float>();
  gather(some.all);
  EXPECT_EQ(some.c.value.data<float>(), value);
  EXPECT_EQ(some.c.grad.data<float>(), grad);
}

TEST(ParameterBuffer, BackwardWritesGradientsWhereTheyLie) {
  Some some;
  gather(some.all);
  const float* grad = some.b.grad.data<float>();
  for (const double factor : {1.0, 2.0}) {
    for (Parameter* p : some.all) p->clear_grad();
    autograd::Tape tape;
    tape.backward(autograd::sum(factor * (autograd::watch(some.b) + autograd::watch(some.b))));
    EXPECT_EQ(some.b.grad.data<float>(), grad);
    EXPECT_EQ(some.b.grad.values<float>(), std::vector<float>(7, static_cast<float>(2 * factor)));
    EXPECT_FALSE(some.a.has_grad());
  }
}

TEST(ParameterBuffer, HoldsOneType) {
  Some some;
  some.b.value = some.b.value.to(DType::kF64);
  EXPECT_THROW(gather(some.all), Error);
}

}  // namespace
}  // namespace fovea::nn
