#include "fovea/models/rnn_seq2seq.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/autograd/arithmetic.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/train/optimizer.h"

namespace fovea::models {
namespace {

constexpr int64_t kSource = 11, kTarget = 13;

// Pairs of random ids; row b has the given numbers of words, <eos> included.
data::Batch random_batch(const std::vector<std::pair<int, int>>& lengths, uint64_t seed,
                         int64_t pad_source = 0, int64_t pad_target = 0) {
  const auto rows = static_cast<int64_t>(lengths.size());
  int64_t S = pad_source, T = pad_target;
  for (const auto& [s, t] : lengths) {
    S = std::max<int64_t>(S, s);
    T = std::max<int64_t>(T, t);
  }
  data::Batch batch;
  batch.source.ids = Tensor::zeros({rows, S}, DType::kI32);
  batch.target_in = Tensor::zeros({rows, T}, DType::kI32);
  batch.target_out = Tensor::full({rows, T}, data::kIgnore, DType::kI32);
  batch.source.lengths = Tensor::empty({rows}, DType::kI32);
  batch.target_lengths = Tensor::empty({rows}, DType::kI32);
  for (int64_t b = 0; b < rows; ++b) {
    Random random(seed, static_cast<uint64_t>(b));
    const auto [s, t] = lengths[static_cast<size_t>(b)];
    batch.source.lengths.data<int32_t>()[b] = s;
    batch.target_lengths.data<int32_t>()[b] = t;
    batch.target_tokens += t;
    for (int i = 0; i < s; ++i)
      batch.source.ids.data<int32_t>()[b * S + i] =
          static_cast<int32_t>(i + 1 == s ? 3 : 4 + random.below(kSource - 4));
    int32_t previous = 2;
    for (int i = 0; i < t; ++i) {
      const auto word = static_cast<int32_t>(i + 1 == t ? 3 : 4 + random.below(kTarget - 4));
      batch.target_in.data<int32_t>()[b * T + i] = previous;
      batch.target_out.data<int32_t>()[b * T + i] = word;
      previous = word;
    }
    batch.lines.push_back(b);
  }
  return batch;
}

RnnOptions small() {
  RnnOptions o;
  o.source_vocab = kSource;
  o.target_vocab = kTarget;
  o.dim_emb = 6;
  o.dim_rnn = 8;
  return o;
}

// Models this small gain nothing from a second thread, and on a busy machine wait for it.
struct OneThread {
  OneThread() { set_threads(1); }
  ~OneThread() { set_threads(0); }
};

// The cost of a word before and after a number of updates on one batch.
std::pair<double, double> teach(RnnSeq2Seq& model, const data::Batch& batch, uint64_t steps,
                                float guided = 0) {
  const OneThread one_thread;
  train::Optimizer optimizer({.name = "adam", .learning_rate = 0.06f, .clip_norm = 1});
  const nn::ParameterList parameters = model.parameters();
  double first = 0, last = 0;
  for (uint64_t step = 0; step < steps; ++step) {
    autograd::Tape tape;
    const Cost cost =
        model.cost(batch, {.training = true, .step = step, .label_smoothing = 0, .guided = guided});
    for (nn::Parameter* p : parameters) p->zero_grad();
    tape.backward(autograd::scale(cost.total, 1.0 / static_cast<double>(cost.tokens)));
    optimizer.step(parameters);
    (step == 0 ? first : last) = cost.cross_entropy / static_cast<double>(cost.tokens);
  }
  return {first, last};
}
constexpr uint64_t kSteps = 50;

// Every kind of model there is, one change at a time.
std::vector<std::pair<std::string, RnnOptions>> kinds() {
  std::vector<std::pair<std::string, RnnOptions>> all;
  auto add = [&](const std::string& name, auto change) {
    RnnOptions o = small();
    change(o);
    all.emplace_back(name, o);
  };
  for (const char* attention : {"bahdanau", "luong", "bottleneck"})
    for (const char* cell : {"tanh", "gru", "lstm"})
      add(std::string(attention) + " " + cell, [&](RnnOptions& o) {
        o.attention = attention;
        o.cell = cell;
      });
  for (const nn::Score& score : nn::score_table())
    for (const char* attention : {"bahdanau", "luong"})
      add(std::string(attention) + " " + score.name, [&](RnnOptions& o) {
        o.attention = attention;
        o.score = score.name;
      });
  for (const char* attention : {"bahdanau", "luong"}) {
    auto with = [&](const char* name, auto change) {
      add(std::string(attention) + " " + name, [&](RnnOptions& o) {
        o.attention = attention;
        change(o);
      });
    };
    with("two heads", [](RnnOptions& o) { o.heads = 2; });
    with("local-m", [](RnnOptions& o) { o.local = "local-m", o.window = 1; });
    with("local-p", [](RnnOptions& o) { o.local = "local-p", o.window = 2; });
    with("one direction", [](RnnOptions& o) { o.bidirectional = false; });
    with("deep", [](RnnOptions& o) { o.enc_depth = 2, o.dec_depth = 3; });
    with("deep lstm", [](RnnOptions& o) { o.enc_depth = 2, o.dec_depth = 2, o.cell = "lstm"; });
    with("readout", [](RnnOptions& o) { o.dim_readout = 5; });
    with("tied", [](RnnOptions& o) { o.tied_embeddings = true; });
    with("tied all", [](RnnOptions& o) { o.tied_embeddings_all = true, o.source_vocab = kTarget; });
    with("hard", [](RnnOptions& o) { o.weigh = "hard"; });
  }
  add("luong input feeding", [](RnnOptions& o) { o.attention = "luong", o.input_feeding = true; });
  add("luong input feeding tied lstm", [](RnnOptions& o) {
    o.attention = "luong", o.input_feeding = true, o.tied_embeddings = true, o.cell = "lstm";
  });
  return all;
}

class Kinds : public ::testing::TestWithParam<std::pair<std::string, RnnOptions>> {
  OneThread one_thread_;
};
INSTANTIATE_TEST_SUITE_P(Rnn, Kinds, ::testing::ValuesIn(kinds()), [](const auto& info) {
  std::string name = info.param.first;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST_P(Kinds, PaddingChangesNoNumber) {
  RnnSeq2Seq model(GetParam().second, 7);
  const std::vector<std::pair<int, int>> lengths = {{5, 4}, {2, 6}, {7, 1}};
  const data::Batch tight = random_batch(lengths, 3), wide = random_batch(lengths, 3, 12, 9);
  const Tensor a = model.log_probs(tight, nullptr), b = model.log_probs(wide, nullptr);
  for (int64_t row = 0; row < 3; ++row)
    for (int64_t t = 0; t < lengths[static_cast<size_t>(row)].second; ++t)
      EXPECT_EQ(a.data<float>()[row * a.dim(1) + t], b.data<float>()[row * b.dim(1) + t]) << row << "," << t;
}

TEST_P(Kinds, RowHasTheSameBitsAloneAndInABatch) {
  RnnSeq2Seq model(GetParam().second, 7);
  const std::vector<std::pair<int, int>> lengths = {{5, 4}, {2, 6}, {7, 1}, {3, 3}, {9, 5}};
  const data::Batch all = random_batch(lengths, 3);
  const Tensor together = model.log_probs(all, nullptr);
  for (size_t row = 0; row < lengths.size(); ++row) {
    data::Batch one = random_batch({lengths[row]}, 3);
    const int64_t S = all.source.ids.dim(1), T = all.target_in.dim(1);
    const auto r = static_cast<int64_t>(row);
    std::copy_n(all.source.ids.data<int32_t>() + r * S, one.source.ids.size(),
                one.source.ids.data<int32_t>());
    std::copy_n(all.target_in.data<int32_t>() + r * T, one.target_in.size(), one.target_in.data<int32_t>());
    std::copy_n(all.target_out.data<int32_t>() + r * T, one.target_out.size(),
                one.target_out.data<int32_t>());
    const Tensor alone = model.log_probs(one, nullptr);
    for (int64_t t = 0; t < alone.size(); ++t)
      EXPECT_EQ(alone.data<float>()[t], together.data<float>()[r * T + t]) << row << "," << t;
  }
}

TEST_P(Kinds, DecodingStepsGiveTheProbabilitiesOfTeaching) {
  RnnSeq2Seq model(GetParam().second, 7);
  const data::Batch batch = random_batch({{5, 4}, {2, 6}, {7, 3}}, 3);
  Tensor look;
  const Tensor want = model.log_probs(batch, &look);
  const int64_t rows = 3, T = batch.target_in.dim(1), S = batch.source.ids.dim(1), beams = 2;
  const auto decoding = model.decode(batch.source, beams);
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
  EXPECT_EQ(look.defined(), model.options().looks());
}

TEST_P(Kinds, LearnsABatchByHeart) {
  RnnSeq2Seq model(GetParam().second, 7);
  const data::Batch batch = random_batch({{5, 4}, {2, 6}, {7, 3}, {4, 4}}, 3);
  const auto [first, last] = teach(model, batch, kSteps);
  EXPECT_GT(first, 1.5);
  EXPECT_LT(last, GetParam().second.weigh == "hard" ? 1.0 : 0.3);
}

TEST(RnnSeq2Seq, SlopeOfTheCostIsItsGradient) {
  for (const auto& [name, options] : kinds()) {
    if (options.weigh == "hard") continue;  // its gradient is an estimate
    SCOPED_TRACE(name);
    RnnSeq2Seq model(options, 5);
    data::Batch batch = random_batch({{5, 4}, {2, 6}}, 9);
    auto cost = [&] {
      return model.cost(batch, {.training = false, .step = 0, .label_smoothing = 0.1f}).total.value().item();
    };
    const nn::ParameterList parameters = model.parameters();
    {
      autograd::Tape tape;
      tape.backward(model.cost(batch, {.training = false, .step = 0, .label_smoothing = 0.1f}).total);
    }
    // Along the gradient the cost changes by its squared norm, so f32 is enough to see it.
    double squared = 0;
    for (nn::Parameter* p : parameters) {
      ASSERT_TRUE(p->grad.defined()) << p->name;
      for (const float g : p->grad.span<float>()) squared += static_cast<double>(g) * g;
    }
    ASSERT_GT(squared, 0);
    const double h = 0.01 / std::sqrt(squared);
    auto move = [&](double by) {
      for (nn::Parameter* p : parameters)
        for (int64_t i = 0; i < p->value.size(); ++i)
          p->value.data<float>()[i] += static_cast<float>(by * p->grad.data<float>()[i]);
      model.weights_changed();
    };
    move(h);
    const double up = cost();
    move(-2 * h);
    const double down = cost();
    EXPECT_NEAR((up - down) / (2 * h) / squared, 1.0, 5e-3);
  }
}

TEST(RnnSeq2Seq, EveryEstimatorOfHardAttentionLearns) {
  for (const char* attention : {"bahdanau", "luong"})
    for (const nn::Estimator& estimator : nn::estimator_table()) {
      SCOPED_TRACE(std::string(attention) + " " + estimator.name);
      RnnOptions o = small();
      o.attention = attention;
      o.weigh = "hard";
      o.estimator = estimator.name;
      RnnSeq2Seq model(o, 7);
      const data::Batch batch = random_batch({{5, 4}, {2, 6}, {7, 3}, {4, 4}}, 3);
      const auto [first, last] = teach(model, batch, kSteps);
      EXPECT_LT(last, 0.6 * first);
    }
}

TEST(RnnSeq2Seq, GuidedAttentionLooksWhereItIsTold) {
  RnnOptions o = small();
  RnnSeq2Seq model(o, 7);
  data::Batch batch = random_batch({{5, 5}, {4, 4}}, 3);
  batch.alignment = Tensor::zeros({2, 5, 5});
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < batch.target_lengths.data<int32_t>()[b]; ++t)
      batch.alignment.data<float>()[(b * 5 + t) * 5 + t] = 1;
  teach(model, batch, kSteps, 1);
  Tensor look;
  model.log_probs(batch, &look);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < batch.target_lengths.data<int32_t>()[b]; ++t)
      EXPECT_GT(look.data<float>()[(b * 5 + t) * 5 + t], 0.8f) << b << "," << t;
}

TEST(RnnSeq2Seq, BeamsAreReorderedAndSentencesLeave) {
  RnnSeq2Seq model(small(), 7);
  const data::Batch batch = random_batch({{5, 4}, {2, 6}, {7, 3}}, 3);
  auto words = [](int64_t rows, std::vector<int32_t> ids) {
    return Tensor::of<int32_t>({rows, static_cast<int64_t>(ids.size()) / rows}, ids);
  };
  const auto a = model.decode(batch.source, 1), b = model.decode(batch.source, 1);
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

TEST(RnnSeq2Seq, SameBitsOnOneThreadAndTwo) {
  for (const char* attention : {"bahdanau", "luong", "bottleneck"}) {
    SCOPED_TRACE(attention);
    RnnOptions o = small();
    o.attention = attention;
    o.dim_rnn = 40;
    o.dropout = 0.2;
    std::vector<std::pair<int, int>> lengths;
    for (int b = 0; b < 19; ++b) lengths.emplace_back(1 + b % 9, 1 + b * 5 % 7);
    const data::Batch batch = random_batch(lengths, 3);
    auto gradients = [&](int count) {
      set_threads(count);
      RnnSeq2Seq model(o, 7);
      autograd::Tape tape;
      tape.backward(model.cost(batch, {.training = true, .step = 3}).total);
      set_threads(0);
      std::vector<float> all;
      for (const nn::Parameter* p : model.parameters())
        all.insert(all.end(), p->grad.span<float>().begin(), p->grad.span<float>().end());
      return all;
    };
    EXPECT_EQ(gradients(1), gradients(2));
  }
}

TEST(RnnOptions, WeightsAreCountedFromBelow) {
  for (auto [name, options] : kinds()) {
    SCOPED_TRACE(name);
    options.dim_rnn = 32;
    RnnSeq2Seq model(options, 1);
    double count = 0;
    for (const nn::Parameter* p : model.parameters()) count += static_cast<double>(p->value.size());
    EXPECT_LE(options.least_weights(), count);
    EXPECT_GE(options.least_weights(), 0.5 * count);
  }
}

TEST(RnnOptions, ConfigIsReadAsItWasWritten) {
  RnnOptions o = small();
  o.cell = "lstm";
  o.dropout = 0.25;
  o.input_feeding = true;
  o.attention = "luong";
  EXPECT_EQ(to_json(rnn_options_from(to_json(o))), to_json(o));
}

TEST(RnnOptions, MistakesAreNamed) {
  auto message = [](nlohmann::json config) {
    try {
      rnn_options_from(config);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  nlohmann::json good = to_json(small()), bad = good;
  bad["dim_rn"] = 5;
  EXPECT_EQ(message(bad), "[rnn] config: unknown key 'dim_rn': did you mean 'dim_rnn'?");
  bad = good;
  bad["cell"] = "grü";
  EXPECT_EQ(message(bad), "[cell] there is no cell 'grü': did you mean 'gru'?");
  bad = good;
  bad["dim_rnn"] = "8";
  EXPECT_EQ(message(bad), "[rnn] config: dim_rnn is '\"8\"': expected a whole number");
  bad = good;
  bad["heads"] = 3;
  EXPECT_EQ(message(bad), "[rnn] dim_rnn 8 does not divide into 3 heads");
  EXPECT_EQ(message(good), "no error");
}

}  // namespace
}  // namespace fovea::models
