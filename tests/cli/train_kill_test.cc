// The promise of exact resume, kept by the real command under real kills.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/random.h"
#include "fovea/base/staged_directory.h"
#include "tests/cli/run_command.h"
#include "tests/temporary_directory.h"

namespace fovea::testing {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::vector<std::string> tiny(const std::string& out, const std::string& save_freq) {
  return {"train",
          "--seed",
          "7",
          "--corpus",
          "copy",
          "--corpus-size",
          "300",
          "--dim-emb",
          "8",
          "--dim-rnn",
          "8",
          "--after",
          "600u",
          "--disp-freq",
          "5u",
          "--valid-freq",
          "7u",
          "--valid-metrics",
          "cross-entropy",
          "--early-stopping",
          "0",
          "--threads",
          "1",
          "--mini-batch-words",
          "100",
          "--keep-last",
          "2",
          "--save-freq",
          save_freq,
          "--out",
          out};
}

// Starts the command and returns at once.
pid_t start(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {FOVEA_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR);
    for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
    execv(argv[0], argv.data());
    _exit(127);
  }
  return child;
}

// The exit code, or 128 + the signal.
int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The log without what time makes different.
std::vector<std::string> log_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) {
    auto json = nlohmann::json::parse(line);
    for (const char* key : {"seconds", "words_per_second", "minutes"}) json.erase(key);
    lines.push_back(json.dump());
  }
  return lines;
}

TEST(TrainUnderFire, SixtyKillsAtRandomMomentsChangeNoBit) {
  constexpr int kKills = 60;
  const auto seed = static_cast<uint64_t>(Clock::now().time_since_epoch().count());
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  const TemporaryDirectory dir(TemporaryDirectory::On::kDisk);
  const std::string whole = dir / "whole", out = dir / "killed";
  ASSERT_EQ(wait_for(start(tiny(whole, "0u"))), 0);

  int kills = 0, terms = 0, partial = 0;
  for (int attempt = 0; kills < kKills; ++attempt) {
    ASSERT_LT(attempt, 10 * kKills);
    const pid_t child = start(tiny(out, "1u"));
    const bool gentle = random.below(6) == 0;
    // Most of the time after the start goes into saves: that is where most of these land.
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(250'000)));
    kill(child, gentle ? SIGTERM : SIGKILL);
    const int code = wait_for(child);
    if (code == 128 + SIGKILL || (gentle && code == 128 + SIGTERM))
      ++kills;  // SIGTERM before there was anything to save
    if (gentle && code == 0) {
      ++kills;
      ++terms;
    }
    ASSERT_TRUE(code == 0 || code == 128 + SIGKILL || code == 128 + SIGTERM) << code;
    partial += fs::exists(out + "/last.new") ? 1 : 0;
    for (const char* name : {"/last", "/best"}) {
      if (fs::exists(out + name)) {
        ASSERT_NO_THROW(verify_directory(out + name));  // whole without any help
      }
    }
  }
  EXPECT_GT(partial, 0) << "no kill fell into a save";
  RecordProperty("within_saves", partial);
  RecordProperty("by_sigterm", terms);
  ASSERT_TRUE(fs::exists(out + "/last"));
  ASSERT_EQ(wait_for(start(tiny(out, "0u"))), 0);

  for (const char* file :
       {"last/model.safetensors", "last/optimizer.safetensors", "best/model.safetensors", "last/config.json"})
    EXPECT_EQ(read_file(out + "/" + file), read_file(whole + "/" + file)) << file;
  EXPECT_EQ(log_lines(out + "/metrics.jsonl"), log_lines(whole + "/metrics.jsonl"));
  std::vector<std::string> names, expected;
  for (const auto& entry : fs::recursive_directory_iterator(out))
    names.push_back(fs::relative(entry.path(), out));
  for (const auto& entry : fs::recursive_directory_iterator(whole))
    expected.push_back(fs::relative(entry.path(), whole));
  EXPECT_THAT(names, ::testing::UnorderedElementsAreArray(expected));
}

TEST(TrainUnderFire, SigtermSavesAndExitsWithSuccessAndASecondEndsIt) {
  const TemporaryDirectory dir;
  const std::string out = dir / "run";
  const auto started = [&] {
    const pid_t child = start(tiny(out, "0u"));
    for (int i = 0; i < 1000 && !fs::exists(out + "/metrics.jsonl"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return child;
  };
  pid_t child = started();
  kill(child, SIGTERM);
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_NO_THROW(verify_directory(out + "/last"));
  fs::remove_all(out);
  child = started();
  kill(child, SIGSTOP);  // so that both wait for it: a process and its group are signalled at once
  kill(child, SIGINT);
  kill(child, SIGTERM);
  kill(child, SIGCONT);
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_NO_THROW(verify_directory(out + "/last"));
  bool ended = false;
  for (int i = 0; i < 20 && !ended; ++i) {  // it may have saved before it is stopped
    fs::remove_all(out);
    child = started();
    kill(child, SIGINT);
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    kill(child, SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    kill(child, SIGTERM);
    kill(child, SIGCONT);
    const int code = wait_for(child);
    ended = code == 128 + SIGINT || code == 128 + SIGTERM;
  }
  EXPECT_TRUE(ended) << "a second signal, later, has to end it";
}

// Matrix products move the stack pointer into memory of their own: whatever ran on their stack would destroy it.
TEST(TrainUnderFire, ASignalInTheMiddleOfAProductDoesNoHarm) {
  constexpr int kSignals = 25;
  const auto seed = static_cast<uint64_t>(Clock::now().time_since_epoch().count());
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  const TemporaryDirectory dir;
  const std::string out = dir / "run";
  for (int round = 0; round < kSignals; ++round) {
    std::vector<std::string> arguments = tiny(out, "0u");
    for (const char* more : {"--dim-emb", "24", "--dim-rnn", "96", "--mini-batch-words", "400", "--after",
                             "1000000u", "--valid-freq", "0u", "--disp-freq", "1u"})
      arguments.emplace_back(more);
    const std::string log = out + "/metrics.jsonl";
    const auto size = [&] { return fs::exists(log) ? fs::file_size(log) : 0; };
    const auto before = size();
    const pid_t child = start(arguments);
    for (int i = 0; i < 1000 && size() <= before; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(50'000)));
    kill(child, round % 2 == 0 ? SIGINT : SIGTERM);
    ASSERT_EQ(wait_for(child), 0) << round;
  }
}

TEST(TrainUnderFire, TwoAtOnceInOneDirectoryIsAnError) {
  const TemporaryDirectory dir;
  const std::string out = dir / "run";
  const pid_t child = start(tiny(out, "1u"));
  for (int i = 0; i < 1000 && !fs::exists(out + "/metrics.jsonl"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(child, SIGSTOP);
  const Ran second = run_command(tiny(out, "1u"));
  kill(child, SIGKILL);
  wait_for(child);
  EXPECT_EQ(second.code, 1);
  EXPECT_THAT(second.err, ::testing::HasSubstr("another process is writing to it"));
}

}  // namespace
}  // namespace fovea::testing
