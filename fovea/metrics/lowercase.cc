#include "fovea/metrics/lowercase.h"

#include <algorithm>
#include <iterator>

#include "fovea/base/utf8.h"
#include "fovea/metrics/lowercase_table.h"

namespace fovea::metrics {
namespace {

constexpr uint32_t kCapitalSigma = 0x3A3, kSigma = 0x3C3, kFinalSigma = 0x3C2, kCapitalDottedI = 0x130;

// The row of a sorted table whose first to last hold `code`; null where none does.
template <typename Row, size_t N>
const Row* row_of(const Row (&table)[N], uint32_t code) {
  const Row* after = std::upper_bound(std::begin(table), std::end(table), code,
                                      [](uint32_t wanted, const Row& row) { return wanted < row.first; });
  return after != std::begin(table) && code <= std::prev(after)->last ? std::prev(after) : nullptr;
}

uint32_t small_letter(uint32_t code) {
  const LowercaseRun* run = row_of(kLowercase, code);
  if (!run || (code - run->first) % run->step != 0) return code;
  return static_cast<uint32_t>(static_cast<int32_t>(code) + run->difference);
}

bool is_cased(uint32_t code) { return row_of(kCased, code) != nullptr; }
bool is_ignorable(uint32_t code) { return row_of(kCaseIgnorable, code) != nullptr; }

// Whether a word goes on in `text`: what may stand inside a word, then a letter with a case.
bool word_goes_on(std::string_view text) {
  while (!text.empty()) {
    const Character c = first_character(text);
    if (!is_ignorable(c.code)) return is_cased(c.code);
    text.remove_prefix(c.bytes);
  }
  return false;
}

void append(std::string& text, uint32_t code) {
  const auto add = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      add(0xE0 | code >> 12);
    } else {
      add(0xF0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3F));
    }
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

}  // namespace

std::string lowercase(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_word = false;  // a letter with a case stands before, with nothing between but what may be in a word
  while (!text.empty()) {
    const Character c = first_character(text);
    const std::string_view bytes = text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
    if (c.code == kCapitalSigma) {
      append(out, in_word && !word_goes_on(text) ? kFinalSigma : kSigma);
    } else if (c.code == kCapitalDottedI) {
      out += "i\u0307";
    } else if (const uint32_t small = c.valid ? small_letter(c.code) : c.code; small != c.code) {
      append(out, small);
    } else {
      out += bytes;
    }
    if (!is_ignorable(c.code)) in_word = is_cased(c.code);
  }
  return out;
}

}  // namespace fovea::metrics
