#include "fovea/look/terminal_grid.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/look/terminal_paint.h"
#include "fovea/look/thumbnail.h"
#include "fovea/look/width.h"

namespace fovea::look {
namespace {

constexpr int kNarrowest = 6;  // columns in which a pattern is still seen
constexpr int kWidest = 32;    // and beyond which a thumbnail would be a map

// A character is one pixel wide and two high, which is about square; of small maps, two wide and two high for each weight.
class Grid {
 public:
  Grid(const Stack& stack, const TerminalOptions& options)
      : stack_(stack),
        options_(options),
        gutter_(static_cast<int>(std::to_string(stack.layer_number(stack.depth() - 1)).size()) + 2) {
    const int s = static_cast<int>(stack.weights.dim(3)), t = static_cast<int>(stack.weights.dim(2));
    const int columns_left = std::max(options.max_width, 20) - gutter_;
    if (stack.breadth() * (s + gap_) - gap_ > columns_left && stack.breadth() * (s + 1) - 1 <= columns_left)
      gap_ = 1;  // rather than shrink
    const int room = columns_left + gap_;
    const int label = head_label(stack.breadth() - 1).size() > 2 ? 3 : 2;
    share_out(room, std::max(std::min(s, kNarrowest), label));
    const int columns = std::min(room / across_ - gap_, kWidest);
    scale_ = 2 * std::max(s, t) <= columns ? 2 : 1;
    longest_ = std::max(1, columns / scale_);
    size_ = thumbnail_size(stack, longest_);
    wide_ = std::max(size_.width * scale_, label);
    share_out(room, wide_);
    lines_ = (size_.height * scale_ + 1) / 2;
    layers_ = std::clamp(options.max_rows / (lines_ + 1), 1, stack.depth());
  }

  std::string draw() const {
    std::string out = wrapped(fmt::format("{}: layers {} down, heads {} across", stack_.name,
                                          stack_.layers_text(), stack_.heads_text()),
                              room());
    for (int first = 0; first < stack_.breadth(); first += across_) {
      const int last = std::min(first + across_, stack_.breadth());
      std::string names(static_cast<size_t>(gutter_), ' ');
      for (int head = first; head < last; ++head)
        names += fit(head_label(head), wide_ + (head + 1 < last ? gap_ : 0));
      out += trimmed(names) + "\n";
      for (int layer = 0; layer < layers_; ++layer) out += band(layer, first, last);
    }
    return out + notes();
  }

 private:
  // Heads that do not fit beside each other are parted evenly.
  void share_out(int room, int columns) {
    const int heads = stack_.breadth(), fitting = std::clamp(room / (columns + gap_), 1, heads);
    const int bands = (heads + fitting - 1) / fitting;
    across_ = (heads + bands - 1) / bands;
  }

  int room() const { return std::max(options_.max_width, 20); }
  bool in_color() const { return options_.color != TerminalOptions::Color::kNone; }
  std::string head_label(int head) const { return std::to_string(stack_.head_number(head)); }
  static std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  // The heads of one layer, and an empty line.
  std::string band(int layer, int first, int last) const {
    std::vector<Thumbnail> heads;
    for (int head = first; head < last; ++head) heads.push_back(thumbnail(stack_, layer, head, longest_));
    std::string out;
    for (int line = 0; line < lines_; ++line) {
      std::string text = fit(line == lines_ / 2 ? std::to_string(stack_.layer_number(layer)) : "",
                             gutter_ - 1, Align::kRight) +
                         " ";
      for (size_t i = 0; i < heads.size(); ++i) {
        for (int x = 0; x < size_.width * scale_; ++x) text += character(heads[i], line, x);
        text += std::string(static_cast<size_t>(wide_ - size_.width * scale_ + gap_), ' ');
      }
      out += trimmed(text) + "\n";
    }
    return out + "\n";
  }

  // The pixel of character row y (two for each line); -1 below the thumbnail.
  float pixel(const Thumbnail& head, int y, int x) const {
    return y < size_.height * scale_ ? head.at(y / scale_, x / scale_) : -1;
  }

  std::string character(const Thumbnail& head, int line, int x) const {
    const float most = head.most > 0 ? head.most : 1;
    const float upper = pixel(head, 2 * line, x), lower = pixel(head, 2 * line + 1, x);
    if (!in_color()) {
      static constexpr std::array<std::string_view, 5> kShades = {" ", "░", "▒", "▓", "█"};
      const float mean = (upper + std::max(lower, 0.0f)) / (lower < 0 ? 1 : 2);
      const float level = std::min(mean / most, 1.0f) * static_cast<float>(kShades.size() - 1);
      return std::string(kShades[static_cast<size_t>(std::lround(level))]);
    }
    const auto ink = [&](float w) { return color_of(w / most, options_.dark); };
    if (upper <= 0 && lower <= 0) return " ";
    if (upper <= 0) return painted("▄", foreground(ink(lower), options_.color));
    if (lower <= 0) return painted("▀", foreground(ink(upper), options_.color));
    return painted("▀", foreground(ink(upper), options_.color), background(ink(lower), options_.color));
  }

  std::string notes() const {
    const bool small = size_.width < stack_.weights.dim(3) || size_.height < stack_.weights.dim(2);
    std::string out =
        wrapped(fmt::format("{} from 0 to each head's largest; {} down ({}), {} across ({}){}",
                            in_color() ? "colours" : "shades", stack_.row_name, stack_.rows.size(),
                            stack_.column_name, stack_.columns.size(), small ? ", averaged down" : ""),
                room());
    if (layers_ < stack_.depth())
      out += wrapped(
          fmt::format("{} of {} layers shown: choose some, or write HTML", layers_, stack_.depth()), room());
    return out;
  }

  const Stack& stack_;
  const TerminalOptions& options_;
  int gutter_, gap_ = 2 /* columns between thumbnails */, across_ = 1, scale_ = 1, longest_ = 1, wide_ = 1,
               lines_ = 1, layers_ = 1;
  ThumbnailSize size_;
};

}  // namespace

std::string terminal_grid(const Stack& stack, const TerminalOptions& options) {
  return Grid(stack, options).draw();
}

}  // namespace fovea::look
