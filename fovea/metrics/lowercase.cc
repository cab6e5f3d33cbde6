#include "fovea/metrics/lowercase.h"

#include "fovea/base/small_letters.h"
#include "fovea/base/utf8.h"
#include "fovea/metrics/case_tables.h"

namespace fovea::metrics {
namespace {

constexpr uint32_t kCapitalSigma = 0x3A3, kSigma = 0x3C3, kFinalSigma = 0x3C2;

bool is_cased(uint32_t code) { return find_row(kCased, code) != nullptr; }
bool is_ignorable(uint32_t code) { return find_row(kCaseIgnorable, code) != nullptr; }

// Whether a word goes on in `text`: what may stand inside a word, then a letter with a case.
bool word_goes_on(std::string_view text) {
  while (!text.empty()) {
    const Character c = first_character(text);
    if (!is_ignorable(c.code)) return is_cased(c.code);
    text.remove_prefix(c.bytes);
  }
  return false;
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
      append_utf8(out, in_word && !word_goes_on(text) ? kFinalSigma : kSigma);
    } else if (c.valid) {
      const SmallLetters small = small_letters(c.code);
      append_utf8(out, small.first);
      if (small.second != 0) append_utf8(out, small.second);
    } else {
      out += bytes;
    }
    if (!is_ignorable(c.code)) in_word = is_cased(c.code);
  }
  return out;
}

}  // namespace fovea::metrics
