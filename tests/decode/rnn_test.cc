// Searches on the recurrent models themselves: random weights, every kind of decoder.
#include <gtest/gtest.h>

#include "fovea/base/parallel.h"
#include "fovea/decode/score.h"
#include "fovea/decode/search.h"
#include "fovea/models/table.h"
#include "tests/decode/fake_model.h"

namespace fovea::testing {
namespace {

using decode::NBest;
using decode::SearchOptions;

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

std::unique_ptr<models::Seq2Seq> make(nlohmann::json config) {
  config.update({{"model_type", "rnn"},
                 {"source_vocab", 1000},
                 {"target_vocab", 203},
                 {"dim_emb", 24},
                 {"dim_rnn", 40}});
  auto model = models::make_model(config, kSeed);
  for (nn::Parameter* parameter : model->parameters())
    for (float& v : parameter->value.span<float>()) v *= 2;
  model->weights_changed();
  return model;
}

std::vector<NBest> run(models::Seq2Seq& model, const std::vector<Ids>& sources, const SearchOptions& options,
                       int64_t batch) {
  std::vector<NBest> all(sources.size());
  decode::search_all(model, sources, options, batch, 0,
                     [&](size_t i, NBest best) { all[i] = std::move(best); });
  return all;
}

TEST(RnnDecoding, ASentencesTranslationHasTheSameBitsInAnyBatchOnAnyNumberOfThreads) {
  std::vector<SearchOptions> searches(3);
  searches[1].beam_size = searches[1].n_best = 4;
  searches[2].sample = true;
  for (SearchOptions& o : searches) o.look = true;
  const int all_threads = threads();
  for (const nlohmann::json& config : kModels)
    for (const SearchOptions& o : searches) {
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
            EXPECT_EQ(together[i][n].words, alone[i][n].words);
            EXPECT_EQ(together[i][n].log_prob, alone[i][n].log_prob);
            ASSERT_EQ(together[i][n].look.defined(), config["attention"] != "bottleneck");
            if (config["attention"] == "bottleneck") continue;
            const Tensor& look = alone[i][n].look;
            EXPECT_EQ(together[i][n].look.values<float>(), look.values<float>());
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
          run(*model, sources, {.beam_size = beam, .n_best = beam, .allow_unk = true, .look = true}, 4);
      for (size_t i = 0; i < sources.size(); ++i)
        for (const decode::Hypothesis& said : found[i]) {
          if (!said.ended) continue;
          const std::vector<Ids> source = {sources[i]}, target = {said.words};
          decode::score_all(*model, source, target, 1, true, [&](size_t, const decode::Scored& scored) {
            EXPECT_NEAR(scored.log_prob, said.log_prob, 1e-4 * (1 + std::abs(said.log_prob)));
            ASSERT_EQ(scored.look.defined(), said.look.defined());
            if (!said.look.defined()) return;
            ASSERT_EQ(scored.look.shape(), said.look.shape());
            for (int64_t j = 0; j < said.look.size(); ++j)
              EXPECT_NEAR(scored.look.data<float>()[j], said.look.data<float>()[j], 1e-5);
          });
        }
    }
  }
}

}  // namespace
}  // namespace fovea::testing
