// Runs the real command, as a user's shell would, and keeps what it said.
//
//   const Ran ran = run_command({"attend", "--help"});
//   EXPECT_EQ(ran.code, 0) << ran.err;
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::testing {

struct Ran {
  std::string out, err;
  int code = -1;  // the exit code; 128 + the signal where one ended it
};

// What the command's standard output is.
enum class Stdout { kKept, kClosedPipe, kFullDisk };

// `environment` holds NAME=VALUE settings, added to the test's own; `input` is what standard input holds.
inline Ran run_command(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& environment = {}, Stdout to = Stdout::kKept,
                       std::string_view input = "") {
  std::array<int, 2> out{}, err{};
  const int in = memfd_create("input", MFD_CLOEXEC);
  if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0 ||
      write(in, input.data(), input.size()) != static_cast<ssize_t>(input.size()) ||
      lseek(in, 0, SEEK_SET) != 0) {
    ADD_FAILURE() << "no pipe";
    return {};
  }
  std::vector<std::string> words = {FOVEA_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> settings = environment;
  if (to == Stdout::kClosedPipe) close(std::exchange(out[0], -1));

  const pid_t child = fork();
  if (child == 0) {
    dup2(in, STDIN_FILENO);
    dup2(to == Stdout::kFullDisk ? open("/dev/full", O_WRONLY) : out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    for (std::string& setting : settings) putenv(setting.data());
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(in);
  close(out[1]);
  close(err[1]);

  Ran ran;
  std::array<pollfd, 2> from = {pollfd{out[0], POLLIN, 0}, pollfd{err[0], POLLIN, 0}};
  std::array<std::string*, 2> kept = {&ran.out, &ran.err};
  while (from[0].fd >= 0 || from[1].fd >= 0) {  // poll skips negative ones
    if (poll(from.data(), from.size(), -1) < 0 && errno != EINTR) break;
    for (size_t i = 0; i < from.size(); ++i) {
      if (from[i].fd < 0 || from[i].revents == 0) continue;
      std::array<char, 4096> bytes;
      const ssize_t n = read(from[i].fd, bytes.data(), bytes.size());
      if (n > 0)
        kept[i]->append(bytes.data(), static_cast<size_t>(n));
      else
        close(std::exchange(from[i].fd, -1));
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

// Types lines into the command, one at a time, each after something was written for the line before. Returns what was written for each;
// nothing for a line that had no answer within 20 seconds, which is where it stops.
inline std::vector<std::string> answers_to_typing(std::vector<std::string> arguments,
                                                  const std::vector<std::string>& lines) {
  constexpr int kMilliseconds = 20'000, kPause = 300;
  std::array<int, 2> in{}, out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) return {};
  arguments.insert(arguments.begin(), FOVEA_COMMAND);
  std::vector<char*> argv;
  for (std::string& word : arguments) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  std::vector<std::string> answers;
  for (const std::string& line : lines) {
    std::string& answer = answers.emplace_back();
    const std::string typed = line + "\n";
    if (write(in[1], typed.data(), typed.size()) != static_cast<ssize_t>(typed.size())) break;
    std::array<char, 4096> bytes;
    for (pollfd from{out[0], POLLIN, 0}; poll(&from, 1, answer.empty() ? kMilliseconds : kPause) > 0;) {
      const ssize_t n = read(out[0], bytes.data(), bytes.size());
      if (n <= 0) break;
      answer.append(bytes.data(), static_cast<size_t>(n));
    }
    if (answer.empty()) break;
  }
  close(in[1]);
  close(out[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return answers;
}

}  // namespace fovea::testing
