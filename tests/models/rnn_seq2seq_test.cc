#include "fovea/models/rnn_seq2seq.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/autograd/arithmetic.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
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
