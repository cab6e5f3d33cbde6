#include "fovea/study/progress.h"

#include <algorithm>

#include "fovea/base/grouped.h"
#include "fovea/base/terminal_columns.h"
#include "fovea/look/width.h"
#include "fovea/train/report.h"

namespace fovea::study {
namespace {

constexpr int kCells = 16;

// 0 to 1.
double share_of(const train::RunState& state) {
  const train::Amount& after = state.settings.after;
  return std::clamp(after.measure(state.progress()) / after.count, 0.0, 1.0);
}

}  // namespace

Progress::~Progress() {
  if (bar_shown_) write("\r\033[K");
}

void Progress::write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), out_);
  std::fflush(out_);
}

void Progress::say(std::string_view text) {
  write(fmt::format("{}[study] {}\n", bar_shown_ ? "\r\033[K" : "", text));
  bar_shown_ = false;
}

void Progress::show(const std::string& text) {
  write("\r\033[K" + look::elide(text, terminal_columns(::fileno(out_), 80) - 1));
  bar_shown_ = true;
}

std::string Progress::title() const {
  return fmt::format("{}/{} {}", index_ + 1, trials_.size(), trials_[index_].name);
}

void Progress::next(std::span<const Trial> trials, size_t index) {
  trials_ = trials;
  index_ = index;
  quarter_ = 0;
}

void Progress::began(const train::RunState& state) {
  start_ = share_of(state);
  quarter_ = static_cast<int>(4 * start_);
  began_ = Clock::now();
  drawn_ = {};
  if (state.update > 0 && start_ < 1)
    say(fmt::format("{}: goes on after update {}", title(), grouped(state.update)));
}

std::string Progress::standing(const train::RunState& state) const {
  const double share = share_of(state), spent = std::chrono::duration<double>(Clock::now() - began_).count();
  const double whole = spent / std::max(share - start_, 1e-9), left = (1 - share) * whole;
  double others = 0;
  for (size_t i = index_ + 1; i < trials_.size(); ++i)
    others += trials_[i].cost / trials_[index_].cost * whole;
  return fmt::format("{:.0f} %, cost {:.4f}, {} left; the study: {} left", 100 * share, state.shown.cost(),
                     train::readable_time(left), train::readable_time(left + others));
}

void Progress::updated(const train::RunState& state, const train::Updated& last) {
  if (last.skipped)
    say(fmt::format("{}: update {} was skipped: its loss or gradient was not finite", title(), state.update));
  const double share = share_of(state);
  if (!bar_) {
    const int quarter = static_cast<int>(4 * share);
    if (quarter > quarter_) say(title() + ": " + standing(state));
    quarter_ = quarter;
    return;
  }
  constexpr auto kBetween = std::chrono::milliseconds(100);
  const auto now = Clock::now();
  if (bar_shown_ && now - drawn_ < kBetween) return;
  drawn_ = now;
  const int full = static_cast<int>(share * kCells);
  const std::string bar = fmt::format("[{:#<{}}{:.<{}}] ", "", full, "", kCells - full),
                    text = title() + " " + standing(state);
  // Where the bar does not fit it is left out, and then the end of the text.
  const bool fits = look::width(text) + kCells + 3 < terminal_columns(::fileno(out_), 80);
  show(fits ? title() + " " + bar + standing(state) : text);
}

void Progress::testing() {
  if (bar_) show(title() + " is tested");
}

void Progress::tested(const train::RunState& state, std::string_view quality) {
  say(fmt::format("{}: {} updates in {}: {}", title(), grouped(state.update),
                  train::readable_time(state.seconds), quality));
}

}  // namespace fovea::study
