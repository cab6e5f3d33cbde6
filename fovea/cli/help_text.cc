#include "fovea/cli/help_text.h"

#include <unistd.h>

#include <algorithm>

#include "fovea/base/terminal_columns.h"
#include "fovea/look/width.h"

namespace fovea::cli {
namespace {

// "  --name TYPE    what it does" in its two parts; the first is empty for a line of text.
struct Entry {
  std::string name;
  std::string_view text;
  int indent = 0;  // where the text begins
};

Entry entry_of(std::string_view line) {
  const size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const size_t gap = line.find("  ", begin);
  if (begin == 0 || gap == std::string_view::npos) return {"", line.substr(begin), static_cast<int>(begin)};
  const size_t text = std::min(line.find_first_not_of(' ', gap), line.size());
  return {std::string(line.substr(0, gap)), line.substr(text), static_cast<int>(text)};
}

std::string folded(std::string_view line, int columns) {
  if (look::width(line) <= columns) return std::string(line) + "\n";
  const Entry entry = entry_of(line);
  // Where half of a narrow terminal would be margin, descriptions stand below what they are of.
  const bool below = entry.indent > columns / 2;
  const int indent = below ? std::min(6, columns / 4) : entry.indent;
  std::string out, margin(static_cast<size_t>(indent), ' ');
  if (below && !entry.name.empty()) out = look::wrapped(entry.name, columns);
  bool first = !below && !entry.name.empty();
  for (const std::string& part : look::wrap(entry.text, std::max(columns - indent, 10))) {
    out += (first ? look::fit(entry.name, indent) : margin) + part + "\n";
    first = false;
  }
  return out;
}

}  // namespace

std::string folded_help(std::string_view help, int columns) {
  std::string out;
  bool examples = false;
  while (!help.empty()) {
    const size_t end = std::min(help.find('\n'), help.size());
    const std::string_view line = help.substr(0, end);
    examples = examples || line.starts_with("Example:");
    out += examples ? std::string(line) + "\n" : folded(line, columns);
    help.remove_prefix(std::min(end + 1, help.size()));
  }
  return out;
}

std::string terminal_help(std::string_view help, int descriptor) {
  return isatty(descriptor) ? folded_help(help, terminal_columns(descriptor, 100)) : std::string(help);
}

}  // namespace fovea::cli
