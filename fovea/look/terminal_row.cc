#include "fovea/look/terminal_row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "fovea/look/label.h"
#include "fovea/look/terminal_paint.h"
#include "fovea/look/width.h"

namespace fovea::look {
namespace {

constexpr int kLongestKey = 14;
constexpr int kMostKeys = 4;

class Heads {
 public:
  Heads(const Stack& stack, const TerminalOptions& options)
      : stack_(stack), options_(options), map_(row_map(stack)), most_(largest(panels_of(map_, kEveryHead))) {
    const int beside = room() - kNumbers, longest = std::min(kLongestKey, beside - 5);
    for (const std::string& key : stack.columns) key_ = std::max(key_, std::min(width(key), longest));
    const int entry = key_ + 7;  // "animal 0.61  "
    bars_ = map_.breadth() + 3 + 2 * entry <= beside;
    keys_ = std::clamp((beside + 2 - (bars_ ? map_.breadth() + 3 : 0)) / entry, 1,
                       std::min(kMostKeys, map_.breadth()));
  }

  std::string draw() const {
    const int heads = stack_.breadth(), all = stack_.depth() * heads;
    const int shown = std::min(all, std::max(options_.max_rows, 1));
    std::string out = elide(fmt::format("layer head │{} looks at most",
                                        bars_ ? fmt::format(" {:{}} │", "", map_.breadth()) : ""),
                            room()) +
                      "\n";
    for (int i = 0; i < shown; ++i) {
      const std::string layer = i % heads == 0 ? std::to_string(stack_.layer_number(i / heads)) : "";
      out += fmt::format("{:>5} {:>4} │{}\n", layer, stack_.head_number(i % heads), line(weights(i)));
    }
    if (bars_) out += wrapped(fmt::format("bars run from 0 to {:.2f}", most_), room());
    if (shown < all)
      out += wrapped(fmt::format("{} of {} heads shown: choose some, or write HTML", shown, all), room());
    return out;
  }

 private:
  static constexpr int kNumbers = 13;  // "layer head │ "

  int room() const { return std::max(options_.max_width, 20); }

  std::span<const float> weights(int head) const {
    const auto s = static_cast<size_t>(map_.breadth());
    return map_.weights.span<float>().subspan(static_cast<size_t>(head) * s, s);
  }

  std::string line(std::span<const float> weights) const {
    if (std::all_of(weights.begin(), weights.end(), [](float w) { return w == 0; }))
      return elide(" sees nothing", room() - kNumbers + 1);
    std::string out = " ";
    if (bars_) {
      for (const float w : weights) out += bar(w);
      out += " │ ";
    }
    std::vector<int> order(weights.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return weights[static_cast<size_t>(a)] > weights[static_cast<size_t>(b)];
    });
    for (int i = 0; i < keys_; ++i) {
      const auto key = static_cast<size_t>(order[static_cast<size_t>(i)]);
      if (weights[key] == 0) break;
      if (i > 0) out += "  ";
      out += fit_label(stack_.columns[key], key_) + " " + fit(weight_text(weights[key]), 4, Align::kRight);
    }
    return out;
  }

  // Nothing for a hidden key, and the lowest bar for any other.
  std::string bar(float w) const {
    static constexpr std::array<std::string_view, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    if (w == 0) return " ";
    const std::string one(kBars[static_cast<size_t>(std::lround(std::min(w / most_, 1.0f) * 7))]);
    if (options_.color == TerminalOptions::Color::kNone) return one;
    return painted(one, foreground(color_of(0.35f + 0.65f * w / most_, options_.dark), options_.color));
  }

  const Stack& stack_;
  const TerminalOptions& options_;
  const Map map_;
  const float most_;
  int key_ = 1, keys_ = 1;
  bool bars_ = false;
};

}  // namespace

std::string terminal_row(const Stack& stack, const TerminalOptions& options) {
  TerminalOptions table = options;
  table.head = kMean;
  Map mean = mean_row_map(stack);
  mean.title += fmt::format(", mean of {} head{}", stack.breadth(), stack.breadth() == 1 ? "" : "s");
  return to_terminal(mean, table) + "\n" + Heads(stack, options).draw();
}

}  // namespace fovea::look
