// Weights and colours as a terminal shows them.
#pragma once

#include <string>
#include <string_view>

#include "fovea/look/colors.h"
#include "fovea/look/terminal.h"

namespace fovea::look {

// "0.87", "<.01"; "·" for 0. At most 4 columns.
inline std::string weight_text(float weight) {
  return weight == 0 ? "·" : weight < 0.005f ? "<.01" : fmt::format("{:.2f}", weight);
}

// The code that sets a colour; `ground` is 38 for the characters', 48 for what is behind them.
inline std::string color_code(const Color& c, TerminalOptions::Color depth, int ground) {
  if (depth == TerminalOptions::Color::kTrue)
    return fmt::format("{};2;{};{};{}", ground, c.red, c.green, c.blue);
  // The 6 x 6 x 6 cube of 256-colour terminals, whose levels are 0, 95, 135, 175, 215, 255.
  const auto level = [](int v) { return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40; };
  return fmt::format("{};5;{}", ground, 16 + 36 * level(c.red) + 6 * level(c.green) + level(c.blue));
}
inline std::string foreground(const Color& c, TerminalOptions::Color depth) {
  return color_code(c, depth, 38);
}
inline std::string background(const Color& c, TerminalOptions::Color depth) {
  return color_code(c, depth, 48);
}

inline std::string painted(std::string_view text, std::string_view first, std::string_view second = "") {
  return fmt::format("\x1b[{}{}{}m{}\x1b[0m", first, second.empty() ? "" : ";", second, text);
}

}  // namespace fovea::look
