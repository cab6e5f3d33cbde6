#include "fovea/base/terminal_columns.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace fovea {
namespace {

// 0 where COLUMNS is not set, or is no number.
int wanted_columns() {
  const char* value = std::getenv("COLUMNS");
  const std::string_view text = value ? value : "";
  int columns = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return fault == std::errc() && end == text.data() + text.size() ? std::max(columns, 0) : 0;
}

}  // namespace

int terminal_columns(int descriptor, int otherwise) {
  const int wanted = wanted_columns();
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return wanted > 0 ? wanted : otherwise;
  return wanted > 0 ? std::min<int>(wanted, size.ws_col) : size.ws_col;
}

}  // namespace fovea
