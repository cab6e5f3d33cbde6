#include "fovea/train/report.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

#include "fovea/base/grouped.h"
#include "fovea/base/terminal_columns.h"
#include "fovea/models/table.h"

namespace fovea::train {

std::string readable_time(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::min(seconds, 1e12)));
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

namespace {

// What is counted of a target: words, or a label for each picture.
const char* unit_of_speed(const RunState& state) {
  const bool pictures = models::model_named(state.settings.model).learns == models::Learns::kLabelledPictures;
  return pictures ? "pictures/s" : "words/s";
}

}  // namespace

std::string train_line(const RunState& state, const Updated& last) {
  return fmt::format(
      "Ep. {} : Up. {} : Sen. {} : Cost {:.4f} : Time {:.2f}s : {:.1f} {} : gNorm {:.4f} : L.r. {:.4e}",
      state.epoch(), state.update, grouped(state.sentences), state.shown.cost(), state.shown.seconds,
      state.shown.words_per_second(), unit_of_speed(state), last.gradient_norm, last.learning_rate);
}

std::string valid_line(const RunState& state, const Measured& measured, int64_t stalled) {
  const auto best = state.best.find(measured.metric);
  return fmt::format("[valid] Ep. {} : Up. {} : {} : {:.4f} : {}", state.epoch(), state.update,
                     measured.metric, measured.value,
                     measured.best ? "new best"
                     : best == state.best.end()
                         ? "not finite"
                         : fmt::format("best was {:.4f} at Up. {}{}", best->second.value, best->second.update,
                                       stalled > 0 ? fmt::format(" : stalled {} times", stalled) : ""));
}

std::string bar_line(const RunState& state, double words_per_second, double left, int columns) {
  const Amount& after = state.settings.after;
  const double share =
      after.count > 0 ? std::clamp(after.measure(state.progress()) / after.count, 0.0, 1.0) : 0;
  const auto bar = [&](int cells) {
    const int full = static_cast<int>(share * cells);
    return fmt::format("[{:#<{}}{:.<{}}]", "", full, "", cells - full);
  };
  const std::string update = "Up. " + grouped(state.update), epoch = fmt::format("Ep. {}", state.epoch()),
                    percent = after.count > 0 ? fmt::format("{:3.0f} %", 100 * share) : "",
                    cost = fmt::format("cost {:.4f}", state.shown.cost()),
                    speed =
                        fmt::format("{} {}", grouped(std::llround(words_per_second)), unit_of_speed(state)),
                    rest = left >= 0 ? readable_time(left) + " left" : "";
  std::vector<std::vector<std::string>> choices;  // the most telling first
  if (after.count > 0)
    for (const int cells : {16, 12, 8})
      choices.push_back({update, epoch, fmt::format("{} {}", bar(cells), percent), cost, speed, rest});
  choices.insert(choices.end(), {{update, epoch, percent, cost, speed, rest},
                                 {update, percent, cost, speed, rest},
                                 {update, percent, cost, rest},
                                 {percent, cost, rest},
                                 {percent, cost},
                                 {cost}});
  std::string text;
  for (std::vector<std::string>& parts : choices) {
    std::erase(parts, "");
    text = fmt::format("{}", fmt::join(parts, "  "));
    if (static_cast<int>(text.size()) < columns) return text;
  }
  return text.substr(0, static_cast<size_t>(std::max(columns - 1, 0)));
}

Report::~Report() {
  if (bar_shown_) write("\r\033[K");
}

void Report::write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), out_);
  std::fflush(out_);
}

void Report::line(const std::string& text) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  write((bar_shown_ ? "\r\033[K" : "") + as_written_(fmt::format("[{:%Y-%m-%d %H:%M:%S}] {}", local, text)));
  bar_shown_ = false;
}

void Report::began(const RunState& state) {
  start_ = state.progress();
  began_ = Clock::now();
}

void Report::updated(const RunState& state, const Updated&) {
  if (!bar_) return;
  constexpr auto kBetween = std::chrono::milliseconds(100);
  const auto now = Clock::now();
  if (bar_shown_ && now - drawn_ < kBetween) return;
  drawn_ = now;
  const Amount& after = state.settings.after;
  double left = -1;
  if (after.count > 0) {
    const double at = after.measure(state.progress()), done = at - after.measure(start_);
    const double spent = std::chrono::duration<double>(now - began_).count();
    if (done > 0) left = std::max(0.0, after.count - at) / done * spent;
  }
  write("\r\033[K" +
        bar_line(state, state.shown.words_per_second(), left, terminal_columns(::fileno(out_), 80)));
  bar_shown_ = true;
}

void Report::displayed(const RunState& state, const Updated& last) {
  if (!bar_) line(train_line(state, last));
}

void Report::validated(const RunState& state, const Validation& validation) {
  for (const Measured& measured : validation.values)
    line(valid_line(state, measured, measured.decides ? validation.stalled : 0));
}

void Report::said(std::string_view text) { line(fmt::format("[train] {}", text)); }

}  // namespace fovea::train
