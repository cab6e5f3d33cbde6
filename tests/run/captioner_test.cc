// The captioner, made ready to run: the same log-probabilities as the net's, and beams that are alone or among others.
#include "fovea/run/captioner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/autograd/tape.h"
#include "fovea/data/make_batch.h"
#include "fovea/run/load.h"
#include "fovea/run/session.h"
#include "tests/error_message.h"

namespace fovea::run {
namespace {

constexpr int64_t kPictures = 3, kSide = 8, kVocab = 9;

struct Case {
  std::shared_ptr<models::Captioner> net;
  Tensor pictures;
};

Case seen_captioner(const char* attention, const char* cell) {
  models::CaptionerOptions o;
  o.picture_size = kSide;
  o.conv_channels = 4;
  o.conv_stages = 2;
  o.conv_depth = 1;
  o.decoder.target_vocab = kVocab;
  o.decoder.dim_emb = 5;
  o.decoder.dim_rnn = 6;
  o.decoder.attention = attention;
  o.decoder.cell = cell;
  Case one{std::make_shared<models::Captioner>(o, 3), Tensor::empty({kPictures, kSide, kSide, 3})};
  Random random(7);
  for (float& x : one.pictures.span<float>()) x = random.uniform(-1, 1);
  return one;
}

data::Batch batch_of(const Tensor& pictures, const std::vector<std::vector<int32_t>>& captions) {
  const std::vector<std::vector<int32_t>> nothing(captions.size());
  data::Batch batch = data::make_batch(nothing, captions);
  batch.source = {};
  batch.pictures = pictures;
  return batch;
}

TEST(Captioner, SaysWithTheProbabilitiesOfItsNet) {
  for (const char* attention : {"bahdanau", "luong", "bottleneck"})
    for (const char* cell : {"gru", "lstm"}) {
      const Case c = seen_captioner(attention, cell);
      const autograd::NoTape no_tape;
      const std::vector<std::vector<int32_t>> captions = {{4, 5, 6}, {7, 4}, {8, 8, 8, 5}};
      for (int i = 0; i < 3; ++i) c.net->cost(batch_of(c.pictures, captions), {.training = true});
      const auto decoder = decoder_of(*c.net);
      Session session(*decoder);
      const std::vector<Sequence> joined = session.join_pictures(c.pictures);
      double sum = 0;
      for (size_t i = 0; i < joined.size(); ++i) {
        EXPECT_EQ(session.source_length(joined[i]), 16);
        std::vector<int32_t> fed = {data::kSos};
        fed.insert(fed.end(), captions[i].begin(), captions[i].end());
        const Feed feed{joined[i], fed, Feed::kAll};
        const Tensor logits = session.advance({&feed, 1});
        for (size_t t = 0; t < fed.size(); ++t) {
          const float* row = logits.data<float>() + static_cast<int64_t>(t) * kVocab;
          double all = 0;
          for (int64_t v = 0; v < kVocab; ++v) all += std::exp(static_cast<double>(row[v]));
          const int32_t wanted = t + 1 < fed.size() ? fed[t + 1] : data::kEos;
          sum += std::log(all) - static_cast<double>(row[wanted]);
        }
      }
      EXPECT_NEAR(c.net->cost(batch_of(c.pictures, captions), {}).cross_entropy, sum, 1e-3)
          << attention << " " << cell;
    }
}

// Logits after every token of a caption for each of the pictures, which join and advance together.
std::vector<Tensor> said_of(const Decoder& decoder, const Tensor& pictures,
                            std::span<const std::vector<int32_t>> fed) {
  Session session(decoder);
  const std::vector<Sequence> joined = session.join_pictures(pictures);
  std::vector<Feed> feeds;
  for (size_t i = 0; i < joined.size(); ++i) feeds.push_back({joined[i], fed[i], Feed::kAll});
  const Tensor logits = session.advance(feeds);
  std::vector<Tensor> said;
  int64_t row = 0;
  for (size_t i = 0; i < joined.size(); ++i) {
    const auto count = static_cast<int64_t>(fed[i].size());
    said.push_back(logits.slice(row, row + count));
    row += count;
  }
  return said;
}

TEST(Captioner, APictureIsSpokenOfTheSameAloneAndAmongOthersAndNearlySoInEightBits) {
  const std::vector<std::vector<int32_t>> fed = {{data::kSos, 4, 5, 6}, {data::kSos, 7}, {data::kSos}};
  for (const char* attention : {"bahdanau", "luong", "bottleneck"}) {
    const Case c = seen_captioner(attention, "lstm");
    std::vector<Tensor> exact;
    for (const Precision precision : {Precision::kF32, Precision::kInt8}) {
      const auto decoder = decoder_of(*c.net, precision);
      const std::vector<Tensor> together = said_of(*decoder, c.pictures, fed);
      for (size_t i = 0; i < together.size(); ++i) {
        const auto at = static_cast<int64_t>(i);
        const Tensor alone = said_of(*decoder, c.pictures.slice(at, at + 1), {&fed[i], 1}).front();
        EXPECT_EQ(alone.values<float>(), together[i].values<float>()) << attention << " " << i;
      }
      if (precision == Precision::kF32) {
        exact = together;
        continue;
      }
      EXPECT_GT(decoder->held().int8_bytes, 0);
      for (size_t i = 0; i < together.size(); ++i) {
        EXPECT_NE(together[i].values<float>(), exact[i].values<float>()) << attention << " " << i;
        for (int64_t k = 0; k < together[i].size(); ++k)
          EXPECT_NEAR(together[i].data<float>()[k], exact[i].data<float>()[k], 0.05) << attention << " " << i;
      }
    }
  }
}

TEST(Captioner, ASessionTellsPicturesFromText) {
  const Case c = seen_captioner("bahdanau", "gru");
  const auto decoder = decoder_of(*c.net);
  Session session(*decoder);
  const std::vector<int32_t> text = {4};
  EXPECT_NE(error_of([&] { session.join(std::span(&text, 1)); }), "no error");
  EXPECT_NE(error_of([&] { session.join_pictures(Tensor::zeros({1, kSide, kSide, 1})); }), "no error");
  EXPECT_EQ(session.sequences(), 0);
}

}  // namespace
}  // namespace fovea::run
