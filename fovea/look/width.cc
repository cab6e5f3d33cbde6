#include "fovea/look/width.h"

#include <algorithm>
#include <iterator>

#include "fovea/base/utf8.h"
#include "fovea/look/width_table.h"

namespace fovea::look {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

bool is_shown(uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;        // controls
  if (code == 0x200E || code == 0x200F || code == 0x061C) return false;  // direction of text
  if ((code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069)) return false;  // and lines
  return (code & 0xFFFE) != 0xFFFE;  // no characters
}

template <size_t N>
bool contains(const CodeRange (&table)[N], uint32_t code) {
  const auto* after =
      std::upper_bound(std::begin(table), std::end(table), code,
                       [](uint32_t wanted, const CodeRange& range) { return wanted < range.first; });
  return after != std::begin(table) && code <= std::prev(after)->last;
}

int width_of(uint32_t code) {
  if (code < 0x300) return 1;
  return contains(kZero, code) ? 0 : contains(kWide, code) ? 2 : 1;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_character(text);
    out += c.valid && is_shown(c.code) ? text.substr(0, c.bytes) : kReplacementCharacter;
    text.remove_prefix(c.bytes);
  }
  return out;
}

int width(std::string_view text) {
  int columns = 0;
  while (!text.empty()) {
    const Character c = first_character(text);
    columns += c.valid && is_shown(c.code) ? width_of(c.code) : 1;
    text.remove_prefix(c.bytes);
  }
  return columns;
}

std::string elide(std::string_view text, int columns) {
  const std::string whole = clean(text);
  if (width(whole) <= columns) return whole;
  if (columns <= 0) return "";
  size_t cut = 0;
  int used = 0;
  while (true) {
    const Character c = first_character(std::string_view(whole).substr(cut));
    used += width_of(c.code);
    if (used > columns - 1) break;
    cut += c.bytes;
  }
  return whole.substr(0, cut).append(kEllipsis);
}

std::string fit(std::string_view text, int columns, Align align) {
  const std::string kept = elide(text, columns);
  const auto space = static_cast<size_t>(std::max(0, columns - width(kept)));
  const size_t left = align == Align::kLeft ? 0 : align == Align::kRight ? space : space / 2;
  return std::string(left, ' ') + kept + std::string(space - left, ' ');
}

namespace {

// The longest beginning of clean text that fits, but one character at least; a combining mark stays with its letter.
size_t bytes_that_fit(std::string_view text, int columns) {
  size_t bytes = 0;
  for (int used = 0; bytes < text.size();) {
    const Character c = first_character(text.substr(bytes));
    used += width_of(c.code);
    if (bytes > 0 && used > columns) break;
    bytes += c.bytes;
  }
  return bytes;
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, int columns) {
  const std::string whole = clean(text);
  std::string_view rest = whole;
  std::vector<std::string> lines;
  while (width(rest) > columns) {
    const size_t fitting = bytes_that_fit(rest, columns);
    // A blank that comes after the last word that fits belongs to no line.
    const size_t blank = rest.rfind(' ', fitting);
    const bool at_blank = blank != std::string_view::npos && blank > 0;
    lines.emplace_back(rest.substr(0, at_blank ? blank : fitting));
    rest.remove_prefix(at_blank ? blank + 1 : fitting);
  }
  if (!rest.empty() || lines.empty()) lines.emplace_back(rest);
  return lines;
}

std::string wrapped(std::string_view text, int columns) {
  std::string out;
  for (const std::string& line : wrap(text, columns)) out += line + "\n";
  return out;
}

}  // namespace fovea::look
