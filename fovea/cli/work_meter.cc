#include "fovea/cli/work_meter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "fovea/base/grouped.h"
#include "fovea/base/resident.h"
#include "fovea/base/terminal_columns.h"
#include "fovea/look/width.h"

namespace fovea::cli {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

WorkMeter::WorkMeter(std::string_view verb)
    : verb_(verb),
      begin_(Clock::now()),
      shown_(begin_),
      visible_(isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO) && !isatty(STDIN_FILENO)) {}

double WorkMeter::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

void WorkMeter::add(int64_t lines, int64_t tokens) {
  lines_ += lines;
  tokens_ += tokens;
  constexpr auto kPause = std::chrono::milliseconds(200);
  if (!visible_ || Clock::now() - shown_ < kPause) return;
  shown_ = Clock::now();
  drawn_ = true;
  const std::string line =
      fmt::format("[{}] {} lines, {} tokens/s", verb_, grouped(lines_),
                  grouped(static_cast<int64_t>(static_cast<double>(tokens_) / seconds())));
  fmt::print(stderr, "\r{}\x1b[K", look::elide(line, terminal_columns(STDERR_FILENO, 80) - 1));
  std::fflush(stderr);
}

void WorkMeter::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

std::string WorkMeter::summary() const {
  const double time = std::max(seconds(), 1e-9);
  const auto rate = [&](int64_t n) { return grouped(static_cast<int64_t>(static_cast<double>(n) / time)); };
  return fmt::format("{} lines, {} tokens in {:.2f} s: {} lines/s, {} tokens/s; peak memory {} MiB",
                     grouped(lines_), grouped(tokens_), time, rate(lines_), rate(tokens_),
                     grouped(resident_peak_bytes() >> 20));
}

}  // namespace fovea::cli
