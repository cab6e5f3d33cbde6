#include "fovea/train/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/train/keep.h"
#include "tests/error_message.h"
#include "tests/temporary_directory.h"

namespace fovea::train {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

RunState some_state() {
  RunState state;
  state.update = 1200;
  state.position = {3, 17};
  state.epochs = 3.1;
  state.batches = 2400;
  state.sentences = 6400;
  state.tokens = 1'000'000'007;
  state.seconds = 0.1 + 0.2;
  state.shown = {.cross_entropy = 1.0 / 3, .seconds = 2.5, .tokens = 99};
  state.skipped = 3;
  state.skipped_in_a_row = 1;
  state.valid_due = true;
  state.validated = 1100;
  state.best = {{"bleu", {31.25, 1000}}, {"cross-entropy", {1.0 / 7, 1100}}};
  state.stalled = 1;
  state.data = 0xFEDCBA9876543210;
  state.settings.dim_emb = 17;
  return state;
}

Checkpoint some_checkpoint(const RunState& state, int64_t size = 3) {
  return {
      .files = {{"config.json", "{}\n"}, {"joint.vocab", "a\nb\n"}},
      .weights = {{"w", Tensor::full({size}, 1.5)}, {"b", Tensor::full({2, 2}, -1)}},
      .optimizer = {{"w.first", Tensor::full({size}, 0.25)}, {"w.steps", Tensor::full({1}, 7, DType::kI32)}},
      .state = &state};
}

TEST(Checkpoint, StateComesBackToTheLastBit) {
  const RunState state = some_state();
  const nlohmann::json json = to_json(state);
  const RunState back = state_from(nlohmann::json::parse(json.dump()), "state.json");
  EXPECT_EQ(to_json(back), json);
  EXPECT_EQ(back.seconds, state.seconds);
  EXPECT_EQ(back.data, state.data);
  EXPECT_EQ(back.position, state.position);
  EXPECT_EQ(back.settings, state.settings);
  EXPECT_EQ(back.best.at("bleu").update, 1000);
}

TEST(Checkpoint, AStateThatLacksSomethingIsAnError) {
  const nlohmann::json whole = to_json(some_state());
  for (const auto& [key, value] : whole.items()) {
    nlohmann::json part = whole;
    part.erase(key);
    EXPECT_THAT(error_of([&] { state_from(part, "state.json"); }),
                HasSubstr("[checkpoint] state.json: it lacks"))
        << key;
    part[key] = nlohmann::json::array({"x"});
    EXPECT_NE(error_of([&] { state_from(part, "state.json"); }), "no error") << key;
  }
}

TEST(Checkpoint, HoldsWhatItWasGiven) {
  const TemporaryDirectory dir;
  const std::string path = dir / "last";
  EXPECT_FALSE(find_checkpoint(path));
  const RunState state = some_state();
  save_checkpoint(path, some_checkpoint(state));
  ASSERT_TRUE(find_checkpoint(path));
  EXPECT_EQ(to_json(load_state(path)), to_json(state));
  EXPECT_EQ(read_file(path + "/joint.vocab"), "a\nb\n");
  EXPECT_EQ(Safetensors::open(path + "/model.safetensors").read("w").values<float>(),
            (std::vector<float>{1.5f, 1.5f, 1.5f}));
  const std::vector<NamedTensor> optimizer = load_optimizer(path);
  ASSERT_EQ(optimizer.size(), 2u);
  EXPECT_EQ(optimizer[0].name, "w.first");
  EXPECT_EQ(optimizer[1].tensor.item(), 7);
}

TEST(Checkpoint, DamageIsFoundBeforeAnythingIsUsed) {
  const TemporaryDirectory dir;
  const std::string path = dir / "last";
  const RunState state = some_state();
  save_checkpoint(path, some_checkpoint(state));
  std::ofstream(path + "/joint.vocab") << "a\nc\n";
  EXPECT_THAT(error_of([&] { find_checkpoint(path); }), HasSubstr("/last/joint.vocab: its checksum is"));
}

// A disk that is full, as far as a process can have one of its own: no file may pass the limit.
TEST(Checkpoint, AFullDiskLeavesTheOldOneIntact) {
  const TemporaryDirectory dir;
  const std::string path = dir / "last", message_path = dir / "message";
  const RunState state = some_state();
  save_checkpoint(path, some_checkpoint(state));
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{8192, 8192};
    setrlimit(RLIMIT_FSIZE, &limit);
    RunState later = state;
    later.update = 1300;
    std::ofstream(message_path) << error_of(
        [&] { save_checkpoint(path, some_checkpoint(later, 1'000'000)); });
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(
      read_file(message_path),
      fmt::format("[checkpoint] {0}.new/model.safetensors: File too large; {0} is as it was saved before",
                  path));
  ASSERT_TRUE(find_checkpoint(path));
  EXPECT_EQ(load_state(path).update, 1200);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 2);
}

TEST(Checkpoint, OnlyTheNewestSnapshotsAreKept) {
  const TemporaryDirectory dir;
  const RunState state = some_state();
  Checkpoint checkpoint = some_checkpoint(state);
  checkpoint.state = nullptr;
  const auto updates = [&] {
    std::vector<int64_t> found;
    for (const Snapshot& snapshot : kept_snapshots(dir.path())) found.push_back(snapshot.update);
    return found;
  };
  EXPECT_THAT(updates(), ::testing::IsEmpty());
  for (int64_t update : {90, 100, 1100, 1200, 1200}) keep_snapshot(dir.path(), update, 3, checkpoint);
  EXPECT_THAT(updates(), ::testing::ElementsAre(100, 1100, 1200));
  EXPECT_FALSE(fs::exists(dir / "keep/u00001200/optimizer.safetensors"));
  fs::create_directory(dir / "keep/u00000050");  // what a kill left of its removal
  fs::create_directory(dir / "keep/unrelated");
  drop_snapshots_after(dir.path(), 1100);
  EXPECT_THAT(updates(), ::testing::ElementsAre(100, 1100));
  EXPECT_TRUE(fs::exists(dir / "keep/unrelated"));
  keep_snapshot(dir.path(), 1200, 3, checkpoint);
  EXPECT_THAT(updates(), ::testing::ElementsAre(100, 1100, 1200));
  EXPECT_FALSE(fs::exists(dir / "keep/u00000050"));
}

}  // namespace
}  // namespace fovea::train
