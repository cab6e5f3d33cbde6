#include "fovea/train/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/data/tokenizer.h"
#include "fovea/train/keep.h"
#include "fovea/train/metrics_log.h"
#include "tests/temporary_directory.h"
#include "tests/train/tiny_model.h"

namespace fovea::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TinyModel;
namespace fs = std::filesystem;

constexpr uint64_t kSeed = 5;

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<data::Pair> some_pairs(int count) {
  Random random(kSeed);
  std::vector<data::Pair> pairs;
  for (int i = 0; i < count; ++i) {
    data::Pair pair;
    for (int64_t n = 1 + random.below(6); n > 0; --n) {
      const std::string word = fmt::format("{}", random.below(9));
      pair.source += (pair.source.empty() ? "" : " ") + word;
      pair.target += (pair.target.empty() ? "" : " ") + word;
    }
    pairs.push_back(pair);
  }
  return pairs;
}

struct Heard : Listener {
  std::vector<std::string> lines;
  std::vector<Validation> validations;
  std::vector<Tally> tallies;
  std::vector<double> rates;
  void updated(const RunState&, const Updated& u) override { rates.push_back(u.learning_rate); }
  void displayed(const RunState& state, const Updated&) override { tallies.push_back(state.shown); }
  void validated(const RunState&, const Validation& v) override { validations.push_back(v); }
  void said(std::string_view text) override { lines.emplace_back(text); }
};

// A run in a directory of its own that can be stopped and started again.
class Loop : public ::testing::Test {
 protected:
  Loop() {
    settings_.corpus = "copy";
    settings_.out = dir_.path();
    settings_.after = {20, 'u'};
    settings_.mini_batch_words = 40;
    settings_.save_freq = {1, 'u'};
    settings_.disp_freq = {3, 'u'};
    settings_.valid_freq = {4, 'u'};
    settings_.valid_metrics = {"cross-entropy"};
    settings_.keep_last = 2;
    settings_.learn_rate = 0.01;
    settings_.lr_warmup = {5, 'u'};
  }

  struct Result {
    std::unique_ptr<TinyModel> model;
    RunState state;
    Ending ending = Ending::kDone;
    Heard heard;
  };

  // Goes on with what is in the directory, or begins. `stop_at`: told to stop once so many updates are done.
  Result train(int64_t stop_at = std::numeric_limits<int64_t>::max()) {
    Result result;
    result.model = std::make_unique<TinyModel>(source_->size(), source_->size(), kSeed);
    result.model->break_at(broken_);
    Optimizer optimizer = make_optimizer(settings_);
    RunState& state = result.state;
    const std::string last = settings_.out + "/last";
    const bool goes_on = find_checkpoint(last);
    if (goes_on) {
      state = load_state(last);
      result.model->load(Safetensors::open(last + "/model.safetensors"));
      optimizer.load_state(load_optimizer(last));
    }
    state.settings = settings_;
    MetricsLog log(settings_.out + "/metrics.jsonl", goes_on ? &state : nullptr);
    data::PairStream batches(data_, batch_options(settings_), state.position);
    LoopParts parts{.net = *result.model,
                    .batches = batches,
                    .files = {{"config.json", "{}"}},
                    .validate = validate_ ? validate_(state, *result.model) : Validate(),
                    .stop = [&] { return state.update >= stop_at; },
                    .listeners = {&result.heard, &log}};
    parts.listeners.insert(parts.listeners.end(), listeners_.begin(), listeners_.end());
    result.ending = train_loop(parts, optimizer, state);
    return result;
  }

  void start_anew() {
    for (const auto& entry : fs::directory_iterator(dir_.path())) fs::remove_all(entry.path());
  }

  // Lines of the log without what time makes different.
  std::vector<std::string> log_lines() const {
    std::vector<std::string> lines;
    std::istringstream text(read_file(dir_ / "metrics.jsonl"));
    for (std::string line; std::getline(text, line);) {
      auto json = nlohmann::json::parse(line);
      for (const char* key : {"seconds", "words_per_second", "minutes"}) json.erase(key);
      lines.push_back(json.dump());
    }
    return lines;
  }

  TemporaryDirectory dir_;
  std::vector<data::Pair> pairs_ = some_pairs(50);
  std::shared_ptr<const data::Tokenizer> source_ = [&] {
    std::vector<std::string> lines;
    for (const data::Pair& pair : pairs_) lines.push_back(pair.source);
    return data::train_tokenizer(lines, {});
  }();
  data::Dataset data_{pairs_, *source_, *source_, 0};
  Settings settings_;
  std::vector<uint64_t> broken_;
  std::vector<Listener*> listeners_;
  // Makes the validation of a run: by default the first weight, which is as good as anything.
  std::function<Validate(const RunState&, TinyModel&)> validate_ = [](const RunState&,
                                                                      TinyModel& model) -> Validate {
    return [&](const StopRequested&) -> std::optional<std::vector<double>> {
      return {{static_cast<double>(model.values()[0][0])}};
    };
  };
};

TEST_F(Loop, LearnsAndEndsWhereItIsTold) {
  settings_.after = {200, 'u'};
  settings_.save_freq = {0, 'u'};
  settings_.early_stopping = 0;
  settings_.learn_rate = 0.1;
  settings_.label_smoothing = 0;
  const Result result = train();
  EXPECT_EQ(result.ending, Ending::kDone);
  EXPECT_EQ(result.state.update, 200);
  EXPECT_LT(result.heard.tallies.back().cost(), 0.8 * result.heard.tallies.front().cost());
  EXPECT_EQ(result.heard.tallies.size(), 66u);
  EXPECT_GT(result.state.epochs, 1);
}

TEST_F(Loop, AnEpochIsEveryPairOnce) {
  settings_.after = {2, 'e'};
  settings_.early_stopping = 0;
  const Result result = train();
  EXPECT_EQ(result.state.epochs, 2);
  EXPECT_EQ(result.state.position, (data::Position{2, 0}));
  EXPECT_EQ(result.state.epoch(), 2);
  EXPECT_EQ(result.state.sentences, 50);
  EXPECT_EQ(result.state.tokens, 2 * (data_.target_tokens()));
}

TEST_F(Loop, TakesNothingFromTheSystemOnceItHasSeenTheData) {
  struct Counter : Listener {
    std::vector<int64_t> taken;
    void updated(const RunState&, const Updated&) override {
      taken.push_back(pool::stats().system_allocations);
    }
  } counter;
  settings_.after = {5, 'e'};
  settings_.valid_freq = settings_.save_freq = {0, 'u'};
  listeners_ = {&counter};
  train();
  EXPECT_EQ(counter.taken.back(), counter.taken[counter.taken.size() * 3 / 5]);
}

TEST_F(Loop, TheLearningRateFollowsItsSchedule) {
  const Result result = train();
  ASSERT_EQ(result.heard.rates.size(), 20u);
  EXPECT_DOUBLE_EQ(result.heard.rates[0], 0.01 / 5);
  EXPECT_DOUBLE_EQ(result.heard.rates[4], 0.01);
  EXPECT_DOUBLE_EQ(result.heard.rates[19], 0.01 * 0.5);
}

TEST_F(Loop, GoesOnToTheSameBitsFromAnyUpdate) {
  settings_.optimizer_delay = 3;  // an update may begin in one epoch and end in the next
  Result whole = train();
  const std::vector<std::string> whole_log = log_lines();
  for (int64_t stop_at = 0; stop_at < 20; ++stop_at) {
    SCOPED_TRACE(stop_at);
    start_anew();
    Result first = train(stop_at);
    EXPECT_EQ(first.ending, Ending::kStopped);
    EXPECT_EQ(first.state.update, stop_at);
    Result second = train();
    EXPECT_EQ(second.ending, whole.ending);
    EXPECT_EQ(second.model->values(), whole.model->values());
    EXPECT_EQ(log_lines(), whole_log);
    EXPECT_EQ(second.state.best.at("cross-entropy").update, whole.state.best.at("cross-entropy").update);
    EXPECT_EQ(second.state.tokens, whole.state.tokens);
    EXPECT_EQ(second.state.stalled, whole.state.stalled);
  }
}

TEST_F(Loop, AStopAtEveryUpdateChangesNothing) {
  Result whole = train();
  const std::vector<std::string> whole_log = log_lines();
  start_anew();
  for (int64_t stop_at = 1; stop_at < 20; ++stop_at) train(stop_at);
  Result last = train();
  EXPECT_EQ(last.model->values(), whole.model->values());
  EXPECT_EQ(log_lines(), whole_log);
}

TEST_F(Loop, AKillLosesTheWorkSinceTheLastSaveAndNothingElse) {
  settings_.save_freq = {6, 'u'};
  Result whole = train();
  const std::vector<std::string> whole_log = log_lines();
  start_anew();
  // As a kill at update 8 leaves it: last/ is from update 6, the log and perhaps best/ are ahead.
  const auto usual = validate_;
  validate_ = [](const RunState& state, TinyModel& model) -> Validate {
    return [&](const StopRequested&) -> std::optional<std::vector<double>> {
      if (state.update >= 8) throw std::runtime_error("killed");
      return {{static_cast<double>(model.values()[0][0])}};
    };
  };
  EXPECT_THROW(train(), std::runtime_error);
  EXPECT_EQ(load_state(dir_ / "last").update, 6);
  validate_ = usual;
  Result second = train();
  EXPECT_EQ(second.model->values(), whole.model->values());
  EXPECT_EQ(log_lines(), whole_log);
}

TEST_F(Loop, AStopWithinAValidationRepeatsTheValidation) {
  Result whole = train();
  const std::vector<std::string> whole_log = log_lines();
  start_anew();
  bool stop = true;
  validate_ = [&](const RunState& state, TinyModel& model) -> Validate {
    return [&](const StopRequested&) -> std::optional<std::vector<double>> {
      if (stop && state.update == 8) return {};
      return {{static_cast<double>(model.values()[0][0])}};
    };
  };
  Result first = train();
  EXPECT_EQ(first.ending, Ending::kStopped);
  EXPECT_EQ(first.state.update, 8);
  EXPECT_TRUE(load_state(dir_ / "last").valid_due);
  stop = false;
  Result second = train();
  EXPECT_EQ(second.model->values(), whole.model->values());
  EXPECT_EQ(second.heard.validations.size(), 4u);  // at 8, 12, 16, 20
  EXPECT_EQ(log_lines(), whole_log);
}

TEST_F(Loop, AFinishedRunHasNothingToDo) {
  Result first = train();
  const fs::file_time_type saved = fs::last_write_time(dir_ / "last/state.json");
  Result again = train();
  EXPECT_EQ(again.ending, Ending::kDone);
  EXPECT_TRUE(again.heard.rates.empty());
  EXPECT_EQ(fs::last_write_time(dir_ / "last/state.json"), saved);
  settings_.after = {25, 'u'};
  EXPECT_EQ(train().heard.rates.size(), 5u);
}

TEST_F(Loop, AccumulatedGradientsAreThoseOfOneLargeBatch) {
  // The same pairs in one batch, and in batches of one row whose noise is off: compare through Updater.
  TinyModel one(source_->size(), source_->size(), kSeed), parts(source_->size(), source_->size(), kSeed);
  struct NoNoise : models::Net {
    explicit NoNoise(TinyModel& m) : model(m) {}
    TinyModel& model;
    nlohmann::json config() const override { return {}; }
    nn::ParameterList parameters() override { return model.parameters(); }
    models::Cost cost(const data::Batch& batch, const models::CostOptions& options) override {
      models::CostOptions still = options;
      still.training = false;
      return model.cost(batch, still);
    }
  };
  // Sources of one length, so that no padding takes part in the tiny model's mean.
  std::vector<std::vector<int32_t>> sources, targets;
  for (int i = 0; i < 6; ++i) {
    sources.push_back({4 + i, 5, 6});
    targets.push_back(std::vector<int32_t>(static_cast<size_t>(1 + i), 4 + i));
  }
  NoNoise quiet_one(one), quiet_parts(parts);
  Optimizer sgd_one({.name = "sgd"}), sgd_parts({.name = "sgd"});
  const data::Batch large[] = {data::make_batch(sources, targets)};
  std::vector<data::Batch> small;
  for (size_t i = 0; i < sources.size(); ++i)
    small.push_back(data::make_batch({&sources[i], 1}, {&targets[i], 1}));
  const Updated a = Updater(quiet_one, sgd_one, {})(large, 0, 0.5),
                b = Updater(quiet_parts, sgd_parts, {})(small, 0, 0.5);
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_NEAR(a.cross_entropy, b.cross_entropy, 1e-4);
  EXPECT_NEAR(a.gradient_norm, b.gradient_norm, 1e-6);
  const auto left = one.values(), right = parts.values();
  for (size_t i = 0; i < left.size(); ++i)
    for (size_t k = 0; k < left[i].size(); ++k) EXPECT_NEAR(left[i][k], right[i][k], 1e-6);
}

TEST_F(Loop, ANumberThatIsNotFiniteSkipsTheUpdate) {
  broken_ = {7, 8, 11};
  Result result = train();
  EXPECT_EQ(result.ending, Ending::kDone);
  EXPECT_EQ(result.state.update, 20);
  EXPECT_EQ(result.state.skipped, 3);
  EXPECT_EQ(result.state.skipped_in_a_row, 0);
  ASSERT_EQ(result.heard.lines.size(), 3u);
  EXPECT_THAT(result.heard.lines[1],
              HasSubstr("update 9 was skipped: its loss or gradient was not finite (2 so far)"));
  for (const auto& tensor : result.model->values())
    for (float x : tensor) EXPECT_TRUE(std::isfinite(x));  // the buffer, too
  // And a stop in the middle of it changes nothing.
  start_anew();
  train(8);
  EXPECT_EQ(train().model->values(), result.model->values());
}

TEST_F(Loop, TenInARowEndTheRunWithAdvice) {
  broken_ = {4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
  EXPECT_THAT(
      error_of([&] { train(); }),
      HasSubstr(
          "[train] 10 updates in a row, up to 14, had a loss or gradient that was not finite: try a lower "
          "--learn-rate (it is 0.01)"));
  EXPECT_EQ(load_state(dir_ / "last").update, 13);
  broken_ = {4, 5, 6, 7, 8, 9, 10, 11, 12};
  start_anew();
  EXPECT_EQ(train().state.skipped, 9);
}

TEST_F(Loop, TheBestIsKeptAndEarlyStoppingCounts) {
  settings_.valid_metrics = {"cross-entropy", "bleu"};
  settings_.valid_freq = {1, 'u'};
  settings_.early_stopping = 3;
  settings_.early_stopping_on = "bleu";
  const std::vector<double> bleu = {1, 5, 4, std::numeric_limits<double>::quiet_NaN(), 6, 6, 5, 5.5, 9, 9};
  validate_ = [&](const RunState& state, TinyModel&) -> Validate {
    return [&](const StopRequested&) -> std::optional<std::vector<double>> {
      return {{-static_cast<double>(state.update), bleu[static_cast<size_t>(state.update) - 1]}};
    };
  };
  const Result result = train();
  EXPECT_EQ(result.ending, Ending::kEarly);
  EXPECT_EQ(result.state.update, 8);
  EXPECT_EQ(load_state(dir_ / "best").update, 5);
  EXPECT_EQ(load_state(dir_ / "best").best.at("bleu").value, 6);
  EXPECT_EQ(load_state(dir_ / "last").update, 8);
  std::vector<bool> best;
  for (const Validation& validation : result.heard.validations) best.push_back(validation.best);
  EXPECT_THAT(best, ElementsAre(true, true, false, false, true, false, false, false));
  EXPECT_EQ(result.heard.validations.back().stalled, 3);
  EXPECT_TRUE(
      result.heard.validations.back().values[0].best);  // cross-entropy goes down, but does not decide
  EXPECT_THAT(kept_snapshots(dir_.path()), ::testing::SizeIs(2));
  // Started again, it stays stopped; with more patience it goes on.
  EXPECT_EQ(train().ending, Ending::kEarly);
  settings_.early_stopping = 4;
  EXPECT_EQ(train(9).state.update, 9);
}

TEST_F(Loop, WhileTheMetricThatDecidesIsZeroAnotherOneDoes) {
  settings_.valid_metrics = {"bleu", "cross-entropy"};
  settings_.valid_freq = {1, 'u'};
  settings_.early_stopping = 3;
  settings_.after = {6, 'u'};
  const std::vector<double> bleu = {0, 0, 0, 0, 2, 0}, cost = {9, 8, 8.5, 7, 7.5, 1};
  validate_ = [&](const RunState& state, TinyModel&) -> Validate {
    return [&](const StopRequested&) -> std::optional<std::vector<double>> {
      const auto i = static_cast<size_t>(state.update) - 1;
      return {{bleu[i], cost[i]}};
    };
  };
  const Result result = train();
  std::vector<bool> best;
  for (const Validation& validation : result.heard.validations) best.push_back(validation.best);
  EXPECT_THAT(best, ElementsAre(true, true, false, true, true, false));
  EXPECT_EQ(load_state(dir_ / "best").update, 5);
}

TEST_F(Loop, WithoutValidationDataThereIsNoneAndNoBest) {
  validate_ = nullptr;
  const Result result = train();
  EXPECT_EQ(result.ending, Ending::kDone);
  EXPECT_TRUE(result.heard.validations.empty());
  EXPECT_FALSE(fs::exists(dir_ / "best"));
  EXPECT_TRUE(fs::exists(dir_ / "last"));
}

TEST_F(Loop, ADirectoryThatCannotBeWrittenIsFoundAtOnce) {
  settings_.out = "/proc/no-such-directory";
  EXPECT_THAT(error_of([&] { train(); }), HasSubstr("/proc/no-such-directory"));
}

}  // namespace
}  // namespace fovea::train
