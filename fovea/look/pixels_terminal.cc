#include "fovea/look/pixels_terminal.h"

#include <algorithm>
#include <cmath>

#include "fovea/data/pictures/resize.h"
#include "fovea/look/terminal_paint.h"

namespace fovea::look {

std::vector<std::string> half_blocks(const data::Picture& picture, TerminalOptions::Color depth,
                                     std::span<const PixelMark> marks) {
  const auto color = [&](int64_t y, int64_t x) {
    const uint8_t* p = picture.at(std::min(y, picture.height - 1), x);
    return Color{p[0], p[1], p[2]};
  };
  std::vector<std::string> lines;
  for (int64_t y = 0; y < picture.height; y += 2) {
    std::string line, before;
    for (int64_t x = 0; x < picture.width; ++x) {
      const Color upper = color(y, x), lower = color(y + 1, x);
      const auto mark = std::find_if(marks.begin(), marks.end(), [&](const PixelMark& one) {
        return one.row == y / 2 && one.column == x;
      });
      const bool marked = mark != marks.end();
      const std::string codes = marked ? "1;97;" + background({0x10, 0x10, 0x10}, depth)
                                       : foreground(upper, depth) + ";" + background(lower, depth);
      if (codes != before) line += "\x1b[0;" + codes + "m";  // neighbours of one colour share it
      line += marked ? std::string(1, mark->character) : "▀";
      before = codes;
    }
    lines.push_back(line + "\x1b[0m");
  }
  return lines;
}

std::vector<std::string> shades(std::span<const float> values, int columns) {
  constexpr std::string_view kShades = " .:-=+x#%@";
  std::vector<std::string> lines;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i % static_cast<size_t>(columns) == 0) lines.emplace_back();
    const float level = std::clamp(values[i], 0.0f, 1.0f) * static_cast<float>(kShades.size() - 1);
    lines.back() += kShades[static_cast<size_t>(std::lround(level))];
  }
  return lines;
}

std::vector<float> brightness(const data::Picture& picture, int lines, int columns) {
  const data::Picture grey = data::resize(as_grey(picture), lines, columns, data::Filter::kArea);
  std::vector<float> values;
  for (const uint8_t value : grey.pixels) values.push_back(static_cast<float>(value) / 255);
  return values;
}

}  // namespace fovea::look
