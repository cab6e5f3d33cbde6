// The layer: projections, heads, looking, training, memory.
#include "fovea/nn/attention.h"

#include <gtest/gtest.h>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/parallel.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/norm.h"
#include "fovea/nn/weigh/estimators.h"
#include "fovea/train/optimizer.h"
#include "naive.h"
#include "tests/count_allocations.h"

namespace fovea::nn {
namespace {

using namespace fovea::testing;
using autograd::Tape;

ParameterList parameters_of(Attention& layer) {
  ParameterList list;
  layer.collect("attention.", list);
  return list;
}

TEST(AttentionLayer, EveryScoreAndWayToWeighRunsForwardAndBackward) {
  Random r(1);
  const Tensor x = random_tensor({2, 5, 12}, DType::kF32, r), y = random_tensor({2, 7, 10}, DType::kF32, r);
  for (const Score& score : score_table())
    for (const char* weigh : {"soft", "hard"})
      for (const char* estimator : {"reinforce", "gumbel"}) {
        Attention layer({.width = 12,
                         .key_width = 10,
                         .score = score.name,
                         .masks = "relative:8",
                         .heads = 4,
                         .kv_heads = 2,
                         .bias = true,
                         .max_keys = 7,
                         .weigh = weigh,
                         .estimator = estimator});
        ParameterList list = parameters_of(layer);
        Tape tape;
        const Attended result = layer(x, y, y, {.training = true, .step = 3});
        ASSERT_EQ(result.context.shape(), (Shape{2, 5, 12}));
        Var loss = autograd::sum(result.context * result.context);
        if (result.choice.log_prob.defined()) loss = loss + autograd::sum(result.choice.log_prob);
        tape.backward(loss);
        for (const Parameter* p : list) {
          // location never sees the keys.
          const bool unseen =
              std::string_view(score.name) == "location" && p->name.starts_with("attention.key.");
          EXPECT_EQ(p->grad.defined(), !unseen) << score.name << " " << weigh << " " << p->name;
        }
      }
}

TEST(AttentionLayer, WithoutProjectionsItIsTheFourSteps) {
  Random r(2);
  const Tensor x = random_tensor({2, 5, 12}, DType::kF32, r);
  Attention layer({.width = 12, .mask = causal(), .heads = 3, .project = false});
  EXPECT_TRUE(parameters_of(layer).empty());
  const Mask mask = causal();
  AttendOptions options;
  options.mask = &mask;
  const Tensor heads = x.reshape({2, 5, 3, 4});
  EXPECT_EQ(layer(x, x, x).context.value().values<float>(),
            attend(heads, heads, heads, options).context.value().values<float>());
}

TEST(AttentionLayer, DropoutIsForTrainingOnly) {
  Random r(3);
  const Tensor x = random_tensor({1, 6, 8}, DType::kF32, r);
  Attention layer({.width = 8, .heads = 2, .dropout = 0.5f}), without({.width = 8, .heads = 2});
  EXPECT_EQ(layer(x, x, x).context.value().values<float>(), without(x, x, x).context.value().values<float>());
  EXPECT_THROW(layer(x, x, x, {.training = true}), Error);  // which step?
  EXPECT_NE(layer(x, x, x, {.training = true, .step = 1}).context.value().values<float>(),
            without(x, x, x).context.value().values<float>());
}

TEST(AttentionLayer, LooksAtChosenHeads) {
  Random r(4);
  const Tensor x = random_tensor({1, 6, 16}, DType::kF32, r);
  Attention layer({.width = 16, .score = "additive", .mask = causal() & window(2), .heads = 8});
  const Attended y = layer(x, x, x, {.look = look_at({.heads = {0, 3}})});
  EXPECT_TRUE(y.fused);
  EXPECT_EQ(y.seen.weights.shape(), (Shape{1, 2, 6, 6}));
  EXPECT_EQ(y.seen.weights.data<float>()[5], 0.0f);  // hidden by causal
}

TEST(AttentionLayer, WrongOptionsAreErrors) {
  EXPECT_THROW(Attention({.width = 0}), Error);
  EXPECT_THROW(Attention({.width = 10, .heads = 3}), Error);
  EXPECT_THROW(Attention({.width = 12, .heads = 4, .kv_heads = 3}), Error);
  EXPECT_THROW(Attention({.width = 12, .score = "adittive"}), Error);
  EXPECT_THROW(Attention({.width = 12, .score = "location"}), Error);  // max_keys is missing
  EXPECT_THROW(Attention({.width = 12, .weigh = "medium"}), Error);
  EXPECT_THROW(Attention({.width = 12, .estimator = "guess"}), Error);
  EXPECT_THROW(Attention({.width = 12, .dropout = 1}), Error);
  EXPECT_THROW(Attention({.width = 12, .masks = "relative:1"}), Error);
  EXPECT_THROW(Attention({.width = 12, .masks = "relative:512"}), Error);
  EXPECT_THROW(Attention({.width = 12, .masks = "local-p:2", .weigh = "hard"}), Error);
  EXPECT_THROW(Attention({.width = 12, .masks = "local-m:2"}), Error);  // there is no other sequence
  EXPECT_THROW(Attention({.width = 9, .heads = 3, .rotary = true}), Error);
}

TEST(AttentionLayer, ParametersHaveNamesInAFixedOrder) {
  Attention layer(
      {.width = 8, .score = "additive", .masks = "relative:4+local-p:2", .heads = 2, .bias = true});
  std::string names;
  for (const Parameter* p : parameters_of(layer)) names += p->name + " ";
  EXPECT_EQ(names,
            "attention.query.weight attention.query.bias attention.key.weight attention.key.bias "
            "attention.value.weight "
            "attention.value.bias attention.out.weight attention.out.bias attention.score.Wq "
            "attention.score.Wk attention.score.v "
            "attention.relative attention.centre.weight attention.centre.vector ");
}

TEST(AttentionLayer, LayersThatShareARandomDiffer) {
  Random random(1), same(1);
  Attention a({.width = 8}, random), b({.width = 8}, random), c({.width = 8}, same);
  const auto first = [](Attention& layer) { return parameters_of(layer)[0]->value.values<float>(); };
  EXPECT_NE(first(a), first(b));
  EXPECT_EQ(first(a), first(c));
  EXPECT_NE(a.options().seed, b.options().seed);
}

TEST(AttentionLayer, RotaryAnglesGrowWithTheSequence) {
  Random r(6);
  const Tensor x = random_tensor({1, 40, 8}, DType::kF32, r);
  Attention grown({.width = 8, .mask = causal(), .heads = 2, .rotary = true}),
      fresh({.width = 8, .mask = causal(), .heads = 2, .rotary = true});
  const Tensor start = x.reshape({40, 8}).slice(0, 3).reshape({1, 3, 8});
  grown(start, start, start);
  EXPECT_EQ(grown(x, x, x).context.value().values<float>(), fresh(x, x, x).context.value().values<float>());
}

// A pre-norm attention block with a residual connection, trained to copy the first token to every place.
struct Block {
  Random random{7};
  Embedding embedding{20, 32, random};
  LayerNorm norm{32};
  Attention attention{{.width = 32, .mask = causal(), .heads = 4, .rotary = true, .dropout = 0.1f}};
  Linear out{32, 32, true, random};
  ParameterList list;
  train::Optimizer optimizer{{.name = "adamw", .learning_rate = 1e-3f, .clip_norm = 1}};
  Tensor ids = Tensor::empty({4, 12}, DType::kI32);

  Block() {
    for (int32_t& id : ids.span<int32_t>()) id = static_cast<int32_t>(random.below(20));
    embedding.collect("embedding.", list);
    norm.collect("norm.", list);
    attention.collect("attention.", list);
    out.collect("out.", list);
  }
  double step(uint64_t number) {
    double loss_value = 0;
    for (Parameter* p : list) p->zero_grad();
    {
      Tape tape;
      const Var x = embedding(ids), h = norm(x);
      const Var y = out(x + attention(h, h, h, {.training = true, .step = number}).context);
      const Var loss = autograd::mean(y * y);
      loss_value = loss.value().item();
      tape.backward(loss);
    }
    optimizer.step(list);
    return loss_value;
  }
};

TEST(AttentionLayer, ATrainingStepAfterTheFirstAllocatesNothing) {
  Block block;
  for (uint64_t n = 0; n < 3; ++n) block.step(n);
  const int64_t system = pool::stats().system_allocations;
  const int64_t heap = count_allocations([&] {
    for (uint64_t n = 3; n < 8; ++n) block.step(n);
  });
  EXPECT_EQ(pool::stats().system_allocations, system);
  EXPECT_EQ(heap, 0);
}

TEST(AttentionLayer, TrainingGivesTheSameBitsOnOneThreadAndTwo) {
  auto train = [](int threads) {
    set_threads(threads);
    Block block;
    double loss = 0;
    for (uint64_t n = 0; n < 5; ++n) loss = block.step(n);
    set_threads(0);
    std::vector<float> weights;
    for (const Parameter* p : block.list) {
      const std::vector<float> values = p->value.values<float>();
      weights.insert(weights.end(), values.begin(), values.end());
    }
    weights.push_back(static_cast<float>(loss));
    return weights;
  };
  const std::vector<float> one = train(1);
  EXPECT_EQ(train(2), one);
  EXPECT_EQ(train(1), one);
}

}  // namespace
}  // namespace fovea::nn
