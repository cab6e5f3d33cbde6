// What every model owes to training, decoding and looking.
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/models/table.h"
#include "tests/models/kinds.h"

namespace fovea::models {
namespace {

class Kinds : public ::testing::TestWithParam<Kind> {
  OneThread one_thread_;
};
INSTANTIATE_TEST_SUITE_P(Every, Kinds, ::testing::ValuesIn(translators()), [](const auto& info) { return test_name(info.param.name); });

TEST_P(Kinds, PaddingChangesNoNumber) {
  const auto model = make_model(GetParam().config, 7);
  const std::vector<std::pair<int, int>> lengths = {{5, 4}, {2, 6}, {7, 1}};
  const data::Batch tight = random_batch(lengths, 3), wide = random_batch(lengths, 3, 12, 9);
  const Tensor a = model->log_probs(tight, nullptr), b = model->log_probs(wide, nullptr);
  for (int64_t row = 0; row < 3; ++row)
    for (int64_t t = 0; t < lengths[static_cast<size_t>(row)].second; ++t)
      EXPECT_EQ(a.data<float>()[row * a.dim(1) + t], b.data<float>()[row * b.dim(1) + t]) << row << "," << t;
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
    const auto model = make_model(to_json(o), 7);
    const data::Batch batch = random_batch({{5, 4}}, 3);
    const std::vector<float> sos = model->log_probs(batch, nullptr).values<float>();
    batch.target_in.data<int32_t>()[0] = 7;
    EXPECT_EQ(model->log_probs(batch, nullptr).values<float>() == sos, start == std::string("zero")) << start;
  }
}

TEST(Transformer, OfBeforeThereWasAChoiceHasALearnedStart) {
  nlohmann::json config = to_json(TransformerOptions{.source_vocab = kSource, .target_vocab = kTarget});
  EXPECT_EQ(transformer_options_from(config).start, "zero");
  config.erase("start");
  EXPECT_EQ(transformer_options_from(config).start, "learned");
}

TEST_P(Kinds, RowHasTheSameBitsAloneAndInABatch) {
  const auto model = make_model(GetParam().config, 7);
  const std::vector<std::pair<int, int>> lengths = {{5, 4}, {2, 6}, {7, 1}, {3, 3}, {9, 5}};
  const data::Batch all = random_batch(lengths, 3);
  const Tensor together = model->log_probs(all, nullptr);
  for (size_t row = 0; row < lengths.size(); ++row) {
    data::Batch one = random_batch({lengths[row]}, 3);
    const int64_t S = all.source.ids.dim(1), T = all.target_in.dim(1);
    const auto r = static_cast<int64_t>(row);
    std::copy_n(all.source.ids.data<int32_t>() + r * S, one.source.ids.size(),
                one.source.ids.data<int32_t>());
    std::copy_n(all.target_in.data<int32_t>() + r * T, one.target_in.size(), one.target_in.data<int32_t>());
    std::copy_n(all.target_out.data<int32_t>() + r * T, one.target_out.size(),
                one.target_out.data<int32_t>());
    const Tensor alone = model->log_probs(one, nullptr);
    for (int64_t t = 0; t < alone.size(); ++t)
      EXPECT_EQ(alone.data<float>()[t], together.data<float>()[r * T + t]) << row << "," << t;
  }
}

TEST_P(Kinds, DecodingStepsGiveTheProbabilitiesOfTeaching) {
  const auto model = make_model(GetParam().config, 7);
  const data::Batch batch = random_batch({{5, 4}, {2, 6}, {7, 3}}, 3);
  Tensor look;
  const Tensor want = model->log_probs(batch, &look);
  const int64_t rows = 3, T = batch.target_in.dim(1), S = batch.source.ids.dim(1), beams = 2;
  const auto decoding = model->decode(batch.source, beams);
  EXPECT_EQ(decoding->sentences(), rows);
  for (int64_t t = 0; t < T; ++t) {
    const Tensor words = Tensor::empty({rows, beams}, DType::kI32);
    for (int64_t i = 0; i < rows * beams; ++i)
      words.data<int32_t>()[i] = batch.target_in.data<int32_t>()[i / beams * T + t];
    Tensor seen;
    const Tensor logits = decoding->step(words, &seen);
    ASSERT_EQ(logits.shape(), (Shape{rows, beams, kTarget}));
    for (int64_t i = 0; i < rows * beams; ++i) {
      const int64_t b = i / beams;
      const int32_t target = batch.target_out.data<int32_t>()[b * T + t];
      if (target == data::kIgnore) continue;
      const float* x = logits.data<float>() + i * kTarget;
      double sum = 0;
      for (int64_t v = 0; v < kTarget; ++v) sum += std::exp(static_cast<double>(x[v]));
      EXPECT_NEAR(x[target] - std::log(sum), want.data<float>()[b * T + t], 1e-5) << b << "," << t;
      if (!seen.defined()) continue;
      const int64_t heads = look.dim(1);
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t s = 0; s < S; ++s)
          EXPECT_NEAR(seen.data<float>()[(i * heads + h) * S + s],
                      look.data<float>()[((b * heads + h) * T + t) * S + s], 1e-6);
    }
  }
  EXPECT_EQ(look.defined(), GetParam().looks);
}

TEST_P(Kinds, LearnsABatchByHeart) {
  const auto model = make_model(GetParam().config, 7);
  const data::Batch batch = random_batch({{5, 4}, {2, 6}, {7, 3}, {4, 4}}, 3);
  const auto [first, last] = teach(*model, batch, 4 * kSteps);
  EXPECT_GT(first, 1.5);
  EXPECT_LT(last, GetParam().hard ? 1.0 : 0.3);
}

TEST_P(Kinds, AStepAfterTheFirstTakesNothingFromTheHeap) {
  const auto model = make_model(GetParam().config, 7);
  const data::Batch batch = random_batch({{5, 4}, {2, 6}, {7, 3}}, 3);
  EXPECT_EQ(allocations_of_steps(*model, batch), 0);
}

TEST(EveryModel, SlopeOfTheCostIsItsGradient) {
  for (const Kind& kind : translators()) {
    if (kind.hard) continue;  // its gradient is an estimate
    SCOPED_TRACE(kind.name);
    nlohmann::json config = kind.config;
    for (const char* key : {"enc_mask", "cross_mask"})  // where a predicted window ends is a jump, not a slope
      if (config.value(key, "") == "local-p:2") config[key] = "local-p:20";
    const auto model = make_model(config, 5);
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
      model->weights_changed();
    };
    move(h);
    const double up = cost();
    move(-2 * h);
    const double down = cost();
    EXPECT_NEAR((up - down) / (2 * h) / squared, 1.0, 5e-3);
  }
}

TEST_P(Kinds, BeamsAreReorderedAndSentencesLeave) {
  const auto model = make_model(GetParam().config, 7);
  const data::Batch batch = random_batch({{5, 4}, {2, 6}, {7, 3}}, 3);
  auto words = [](int64_t rows, std::vector<int32_t> ids) {
    return Tensor::of<int32_t>({rows, static_cast<int64_t>(ids.size()) / rows}, ids);
  };
  const auto a = model->decode(batch.source, 1), b = model->decode(batch.source, 1);
  a->step(words(3, {2, 2, 2}));
  a->reorder(words(3, {0, 0, 0, 0, 0, 0}));  // two of each
  a->step(words(3, {4, 5, 6, 7, 8, 9}));
  a->reorder(words(3, {1, 0, 1}));  // one of each: after 5, 6 and 9
  a->keep(Tensor::of<int32_t>({2}, std::vector<int32_t>{0, 2}));
  EXPECT_EQ(a->sentences(), 2);
  EXPECT_EQ(a->beams(), 1);
  const Tensor got = a->step(words(2, {10, 11}));
  b->step(words(3, {2, 2, 2}));
  b->step(words(3, {5, 6, 9}));
  const Tensor want = b->step(words(3, {10, 4, 11}));
  for (int64_t v = 0; v < kTarget; ++v) {
    EXPECT_EQ(got.data<float>()[v], want.data<float>()[v]);
    EXPECT_EQ(got.data<float>()[kTarget + v], want.data<float>()[2 * kTarget + v]);
  }
}

TEST(EveryModel, WeightsAreCountedFromBelow) {
  for (Kind kind : translators()) {
    SCOPED_TRACE(kind.name);
    kind.config[kind.config.contains("dim_rnn") ? "dim_rnn" : "dim_model"] = 32;
    double count = 0;
    const auto model = make_model(kind.config, 1);
    for (const nn::Parameter* p : model->parameters()) count += static_cast<double>(p->value.size());
    const auto least = static_cast<double>(size_of_model(kind.config).least_weights);
    EXPECT_LE(least, count);
    EXPECT_GE(least, 0.5 * count);
  }
}

}  // namespace
}  // namespace fovea::models
