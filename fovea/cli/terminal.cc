#include "fovea/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

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

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

}  // namespace fovea::cli
