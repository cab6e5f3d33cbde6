// Runs the real command in a terminal of a given width: standard output and standard error are both that terminal.
#pragma once

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "fovea/look/width.h"

namespace fovea::testing {

struct Screen {
  std::string bytes;  // as the terminal got them
  std::vector<std::string>
      lines;  // what was written between two line ends or carriage returns, without escape sequences
  int code = -1;

  int widest() const {
    int columns = 0;
    for (const std::string& line : lines) columns = std::max(columns, look::width(line));
    return columns;
  }
};

inline std::vector<std::string> written_lines(const std::string& bytes) {
  std::vector<std::string> lines(1);
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\x1b' && i + 1 < bytes.size() && bytes[i + 1] == '[') {
      i += 2;
      while (i < bytes.size() && (bytes[i] < '@' || bytes[i] > '~')) ++i;
    } else if (bytes[i] == '\n' || bytes[i] == '\r') {
      lines.emplace_back();
    } else {
      lines.back() += bytes[i];
    }
  }
  return lines;
}

inline Screen run_in_terminal(int columns, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {FOVEA_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  winsize size{};
  size.ws_row = 50;
  size.ws_col = static_cast<unsigned short>(columns);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    unsetenv("COLUMNS");
    setenv("TERM", "xterm-256color", 1);
    execv(argv[0], argv.data());
    _exit(127);
  }
  Screen screen;
  if (child < 0) {
    ADD_FAILURE() << "no terminal";
    return screen;
  }
  std::array<char, 4096> bytes;
  for (ssize_t n = 0;
       (n = read(terminal, bytes.data(), bytes.size())) > 0;)  // it fails when the command has ended
    screen.bytes.append(bytes.data(), static_cast<size_t>(n));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  screen.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  screen.lines = written_lines(screen.bytes);
  return screen;
}

}  // namespace fovea::testing
