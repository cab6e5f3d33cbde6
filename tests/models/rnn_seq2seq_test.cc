#include "fovea/models/rnn_seq2seq.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/autograd/arithmetic.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/models/transformer.h"
#include "fovea/run/load.h"
#include "fovea/run/session.h"
#include "tests/models/random_batch.h"

namespace fovea::models {
namespace {

RnnOptions small() {
  RnnOptions o;
  o.source_vocab = kSource;
  o.target_vocab = kTarget;
  o.dim_emb = 6;
  o.dim_rnn = 8;
  return o;
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
  const auto decoder = run::decoder_of(model);
  const run::LookAt at{
      .encoder = false, .self = false, .cross = true, .layers = {}, .heads = {}, .every_row = true};
  for (int64_t b = 0; b < 2; ++b) {
    const int64_t length = batch.target_lengths.data<int32_t>()[b];
    const std::span<const int32_t> ids(batch.source.ids.data<int32_t>() + b * 5,
                                       static_cast<size_t>(length - 1)),
        in(batch.target_in.data<int32_t>() + b * 5, static_cast<size_t>(length));
    run::Session session(*decoder);
    const std::vector<int32_t> source(ids.begin(), ids.end());
    const run::Feed feed{session.join({&source, 1}).front(), in};
    std::vector<run::Looked> looked;
    session.advance({&feed, 1}, &at, &looked);
    const Tensor& weights = looked.front().front().weights;  // [1, T, S]
    for (int64_t t = 0; t < length; ++t)
      EXPECT_GT(weights.data<float>()[t * weights.dim(2) + t], 0.8f) << b << "," << t;
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

// Words that are dropped are not seen: their embeddings learn nothing. `net_of` makes a net that drops words of either side.
template <typename NetOf>
void dropped_words_learn_nothing(const NetOf& net_of, const char* source_rows, const char* target_rows) {
  const data::Batch batch = random_batch({{9, 9}, {9, 9}, {9, 9}}, 3);
  const auto learned = [&](auto& net, const std::string& name, bool training) {
    autograd::Tape tape;
    tape.backward(net.cost(batch, {.training = training, .step = 3}).total);
    for (const nn::Parameter* p : net.parameters()) {
      if (p->name != name) continue;
      int64_t rows = 0;
      for (int64_t r = 0; r < p->grad.dim(0); ++r) {
        const float* row = p->grad.template data<float>() + r * p->grad.dim(1);
        rows += std::any_of(row, row + p->grad.dim(1), [](float x) { return x != 0; });
      }
      return rows;
    }
    return int64_t{-1};
  };
  auto neither = net_of(0.0, 0.0), source = net_of(0.8, 0.0), target = net_of(0.0, 0.8);
  const int64_t all_sources = learned(neither, source_rows, true),
                all_targets = learned(neither, target_rows, true);
  EXPECT_GT(all_sources, 3);
  EXPECT_GT(all_targets, 3);
  EXPECT_LT(learned(source, source_rows, true), all_sources);
  EXPECT_EQ(learned(source, target_rows, true), all_targets);
  EXPECT_EQ(learned(target, source_rows, true), all_sources);
  EXPECT_LT(learned(target, target_rows, true), all_targets);
  EXPECT_EQ(learned(source, source_rows, false), all_sources)
      << "nothing is dropped where nothing is learned";
}

TEST(RnnSeq2Seq, DroppedWordsLearnNothing) {
  const auto net = [](double source, double target) {
    RnnOptions o = small();
    o.dropout_src = source;
    o.dropout_trg = target;
    return RnnSeq2Seq(o, 7);
  };
  dropped_words_learn_nothing(net, "source_embedding.weight", "target_embedding.weight");
}

TEST(Transformer, DroppedWordsLearnNothing) {
  const auto net = [](double source, double target) {
    TransformerOptions o;
    o.source_vocab = small().source_vocab;
    o.target_vocab = small().target_vocab;
    o.dim_model = 8, o.heads = 2, o.dim_ffn = 16, o.enc_depth = o.dec_depth = 1, o.dropout = 0;
    o.dropout_src = source;
    o.dropout_trg = target;
    return Transformer(o, 7);
  };
  dropped_words_learn_nothing(net, "source_embedding.weight", "target_embedding.weight");
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
