// What every net owes to training.
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/models/table.h"
#include "tests/models/kinds.h"

namespace fovea::models {
namespace {

class Kinds : public ::testing::TestWithParam<Kind> {
  OneThread one_thread_;
};
INSTANTIATE_TEST_SUITE_P(Every, Kinds, ::testing::ValuesIn(translators()),
                         [](const auto& info) { return test_name(info.param.name); });

// The cost of the tokens of one row; the others stay in the batch, but are not asked for.
double cost_of_row(Net& net, data::Batch batch, int64_t row) {
  const autograd::NoTape off;
  const int64_t T = batch.target_out.dim(1);
  batch.target_out = batch.target_out.copy();
  for (int64_t i = 0; i < batch.target_out.size(); ++i)
    if (i / T != row) batch.target_out.data<int32_t>()[i] = data::kIgnore;
  return net.cost(batch, {}).cross_entropy;
}

TEST_P(Kinds, PaddingChangesNoNumber) {
  const auto model = make_net(GetParam().config, 7);
  const std::vector<std::pair<int, int>> lengths = {{5, 4}, {2, 6}, {7, 1}};
  const data::Batch tight = random_batch(lengths, 3), wide = random_batch(lengths, 3, 12, 9);
  for (int64_t row = 0; row < 3; ++row)
    EXPECT_EQ(cost_of_row(*model, tight, row), cost_of_row(*model, wide, row)) << row;
}

TEST(Transformer, ReadsItsFirstWordOnlyWhereThatIsLearned) {
  for (const char* start : {"zero", "learned"}) {
    TransformerOptions o;
    o.source_vocab = kSource;
    o.target_vocab = kTarget;
    o.dim_model = 8;
    o.heads = 2;
    o.dim_ffn = 16;
    o.enc_depth = o.dec_depth = 1;
    o.start = start;
    const auto model = make_net(to_json(o), 7);
    const data::Batch batch = random_batch({{5, 4}}, 3);
    const double sos = cost_of_row(*model, batch, 0);
    batch.target_in.data<int32_t>()[0] = 7;
    EXPECT_EQ(cost_of_row(*model, batch, 0) == sos, start == std::string("zero")) << start;
  }
}

TEST(Transformer, OfBeforeThereWasAChoiceHasALearnedStart) {
  nlohmann::json config = to_json(TransformerOptions{.source_vocab = kSource, .target_vocab = kTarget});
  EXPECT_EQ(transformer_options_from(config).start, "zero");
  config.erase("start");
  EXPECT_EQ(transformer_options_from(config).start, "learned");
}

TEST_P(Kinds, RowHasTheSameBitsAloneAndInABatch) {
  const auto model = make_net(GetParam().config, 7);
  const std::vector<std::pair<int, int>> lengths = {{5, 4}, {2, 6}, {7, 1}, {3, 3}, {9, 5}};
  const data::Batch all = random_batch(lengths, 3);
  for (size_t row = 0; row < lengths.size(); ++row) {
    data::Batch one = random_batch({lengths[row]}, 3);
    const int64_t S = all.source.ids.dim(1), T = all.target_in.dim(1);
    const auto r = static_cast<int64_t>(row);
    std::copy_n(all.source.ids.data<int32_t>() + r * S, one.source.ids.size(),
                one.source.ids.data<int32_t>());
    std::copy_n(all.target_in.data<int32_t>() + r * T, one.target_in.size(), one.target_in.data<int32_t>());
    std::copy_n(all.target_out.data<int32_t>() + r * T, one.target_out.size(),
                one.target_out.data<int32_t>());
    EXPECT_EQ(cost_of_row(*model, one, 0), cost_of_row(*model, all, r)) << row;
  }
}

TEST_P(Kinds, LearnsABatchByHeart) {
  const auto model = make_net(GetParam().config, 7);
  const data::Batch batch = random_batch({{5, 4}, {2, 6}, {7, 3}, {4, 4}}, 3);
  const auto [first, last] = teach(*model, batch, 4 * kSteps);
  EXPECT_GT(first, 1.5);
  EXPECT_LT(last, GetParam().hard ? 1.0 : 0.3);
}

TEST_P(Kinds, AStepAfterTheFirstTakesNothingFromTheHeap) {
  const auto model = make_net(GetParam().config, 7);
  const data::Batch batch = random_batch({{5, 4}, {2, 6}, {7, 3}}, 3);
  EXPECT_EQ(allocations_of_steps(*model, batch), 0);
}

TEST(EveryModel, SlopeOfTheCostIsItsGradient) {
  for (const Kind& kind : translators()) {
    if (kind.hard) continue;  // its gradient is an estimate
    SCOPED_TRACE(kind.name);
    nlohmann::json config = kind.config;
    for (const char* key :
         {"enc_mask", "cross_mask"})  // where a predicted window ends is a jump, not a slope
      if (config.value(key, "") == "local-p:2") config[key] = "local-p:20";
    const auto model = make_net(config, 5);
    data::Batch batch = random_batch({{5, 4}, {2, 6}}, 9);
    auto cost = [&] {
      return model->cost(batch, {.training = false, .step = 0, .label_smoothing = 0.1f}).total.value().item();
    };
    const nn::ParameterList parameters = model->parameters();
    {
      autograd::Tape tape;
      tape.backward(model->cost(batch, {.training = false, .step = 0, .label_smoothing = 0.1f}).total);
    }
    // Along the gradient the cost changes by its squared norm, so f32 is enough to see it.
    double squared = 0;
    for (nn::Parameter* p : parameters) {
      if (!p->grad.defined()) {  // location never sees keys
        ASSERT_NE(kind.name.find("location"), std::string::npos) << p->name;
        ASSERT_NE(p->name.find("key"), std::string::npos) << p->name;
        p->grad = Tensor::zeros(p->value.shape());
      }
      for (const float g : p->grad.span<float>()) squared += static_cast<double>(g) * g;
    }
    ASSERT_GT(squared, 0);
    const double h = 0.003 / std::sqrt(squared);
    auto move = [&](double by) {
      for (nn::Parameter* p : parameters)
        for (int64_t i = 0; i < p->value.size(); ++i)
          p->value.data<float>()[i] += static_cast<float>(by * p->grad.data<float>()[i]);
    };
    move(h);
    const double up = cost();
    move(-2 * h);
    const double down = cost();
    EXPECT_NEAR((up - down) / (2 * h) / squared, 1.0, 5e-3);
  }
}

TEST(EveryModel, WeightsAreCountedFromBelow) {
  for (Kind kind : translators()) {
    SCOPED_TRACE(kind.name);
    kind.config[kind.config.contains("dim_rnn") ? "dim_rnn" : "dim_model"] = 32;
    double count = 0;
    const auto model = make_net(kind.config, 1);
    for (const nn::Parameter* p : model->parameters()) count += static_cast<double>(p->value.size());
    const auto least = static_cast<double>(size_of_model(kind.config).least_weights);
    EXPECT_LE(least, count);
    EXPECT_GE(least, 0.5 * count);
  }
}

}  // namespace
}  // namespace fovea::models
