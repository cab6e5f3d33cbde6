#include "fovea/cli/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "fovea/base/terminal_columns.h"
#include "fovea/look/width.h"

namespace fovea::cli {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

look::TerminalOptions::Color terminal_color() {
  using Color = look::TerminalOptions::Color;
  if (!isatty(STDOUT_FILENO) || !environment("NO_COLOR").empty() || environment("TERM") == "dumb")
    return Color::kNone;
  const std::string_view depth = environment("COLORTERM");
  return depth == "truecolor" || depth == "24bit" ? Color::kTrue : Color::k256;
}

std::string terminal_text(std::string_view text, int descriptor) {
  if (isatty(descriptor)) return look::wrapped(text, terminal_columns(descriptor, 100));
  return std::string(text) + "\n";
}

int terminal_width() { return terminal_columns(STDOUT_FILENO, 100); }

}  // namespace fovea::cli
