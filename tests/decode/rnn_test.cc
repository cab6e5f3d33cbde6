// Searches on the recurrent models themselves: random weights, every kind of decoder.
#include <gtest/gtest.h>

#include "fovea/base/parallel.h"
#include "fovea/decode/looks.h"
#include "fovea/decode/score.h"
#include "fovea/decode/search.h"
#include "fovea/models/table.h"
#include "fovea/run/load.h"
#include "tests/decode/fake_decoder.h"

namespace fovea::testing {
namespace {

using decode::NBest;
using decode::Options;

constexpr uint64_t kSeed = 6;

const nlohmann::json kModels[] = {
    {{"attention", "bahdanau"}, {"cell", "gru"}},
    {{"attention", "bahdanau"}, {"cell", "lstm"}, {"heads", 2}, {"score", "scaled_dot"}, {"enc_depth", 2}},
    {{"attention", "luong"},
     {"cell", "lstm"},
     {"score", "general"},
     {"input_feeding", true},
     {"dec_depth", 2}},
    {{"attention", "luong"},
     {"cell", "tanh"},
     {"score", "dot"},
     {"bidirectional", false},
     {"local", "local-p"}},
    {{"attention", "bahdanau"}, {"weigh", "hard"}, {"tied_embeddings", true}},
    {{"attention", "bottleneck"}, {"cell", "gru"}}};

std::shared_ptr<const run::Decoder> make(nlohmann::json config) {
  config.update({{"model_type", "rnn"},
                 {"source_vocab", 1000},
                 {"target_vocab", 203},
                 {"dim_emb", 24},
                 {"dim_rnn", 40}});
  auto model = models::make_net(config, kSeed);
  for (nn::Parameter* parameter : model->parameters())
    for (float& v : parameter->value.span<float>()) v *= 2;
  return run::decoder_of(*model);
}

std::vector<NBest> run(const run::Decoder& model, const std::vector<Ids>& sources, const Options& options,
                       int64_t batch) {
  std::vector<decode::Request> requests;
  for (const Ids& source : sources)
    requests.push_back({.source = source, .line = static_cast<int64_t>(requests.size())});
  std::vector<NBest> all(sources.size());
  decode::search(model, requests, options, batch,
                 {.found = [&](size_t i, NBest best) { all[i] = std::move(best); }});
  return all;
}

Tensor weights_of(const decode::Hypothesis& one) {
  return decode::last_layer(decode::join_looks(one.looks), run::Site::kCross);
}

TEST(RnnDecoding, ASentencesTranslationHasTheSameBitsInAnyBatchOnAnyNumberOfThreads) {
  std::vector<Options> searches(3);
  searches[1].beam_size = searches[1].n_best = 4;
  searches[2].sample = true;
  for (Options& o : searches) o.look = decode::look_at_source();
  const int all_threads = threads();
  for (const nlohmann::json& config : kModels)
    for (const Options& o : searches) {
      SCOPED_TRACE(config.dump() + ", beam " + std::to_string(o.beam_size) + (o.sample ? ", sample" : ""));
      const auto model = make(config);
      const std::vector<Ids> sources = random_sources(kSeed, 21, 14);
      set_threads(1);
      const std::vector<NBest> alone = run(*model, sources, o, 1);
      set_threads(all_threads);
      for (int64_t batch : {2, 5, 21}) {
        const std::vector<NBest> together = run(*model, sources, o, batch);
        for (size_t i = 0; i < sources.size(); ++i) {
          ASSERT_EQ(together[i].size(), alone[i].size());
          for (size_t n = 0; n < alone[i].size(); ++n) {
            EXPECT_EQ(together[i][n].tokens, alone[i][n].tokens);
            EXPECT_EQ(together[i][n].log_prob, alone[i][n].log_prob);
            ASSERT_EQ(weights_of(together[i][n]).defined(), config["attention"] != "bottleneck");
            if (config["attention"] == "bottleneck") continue;
            const Tensor look = weights_of(alone[i][n]);
            EXPECT_EQ(weights_of(together[i][n]).values<float>(), look.values<float>());
            const int64_t length = look.dim(2);
            for (int64_t row = 0; row < look.size(); row += length) {
              const double sum =
                  std::accumulate(look.data<float>() + row, look.data<float>() + row + length, 0.0);
              if (config.contains("local"))  // local-p's Gaussian takes some of it away
                EXPECT_LT(sum, 1 + 1e-5);
              else
                EXPECT_NEAR(sum, 1, 1e-5);
            }
          }
        }
      }
    }
}

TEST(RnnDecoding, StepByStepIsWhatTheWholeTargetGives) {
  for (const nlohmann::json& config : kModels) {
    SCOPED_TRACE(config.dump());
    const auto model = make(config);
    const std::vector<Ids> sources = random_sources(kSeed, 9, 14);
    for (int64_t beam : {1, 3}) {
      const std::vector<NBest> found =
          run(*model, sources,
              {.beam_size = beam, .n_best = beam, .allow_unk = true, .look = decode::look_at_source()}, 4);
      for (size_t i = 0; i < sources.size(); ++i)
        for (const decode::Hypothesis& said : found[i]) {
          if (!said.ended) continue;
          const decode::ScoreRequest request{.source = sources[i], .target = said.tokens};
          decode::score_all(
              *model, {&request, 1}, 1, decode::look_at_source(), [&](size_t, const decode::Scored& scored) {
                const Tensor want = weights_of(said),
                             got = decode::last_layer(scored.looked, run::Site::kCross);
                EXPECT_NEAR(scored.log_prob, said.log_prob, 1e-4 * (1 + std::abs(said.log_prob)));
                ASSERT_EQ(got.defined(), want.defined());
                if (!want.defined()) return;
                ASSERT_EQ(got.shape(), want.shape());
                for (int64_t j = 0; j < want.size(); ++j)
                  EXPECT_NEAR(got.data<float>()[j], want.data<float>()[j], 1e-5);
              });
        }
    }
  }
}

}  // namespace
}  // namespace fovea::testing
