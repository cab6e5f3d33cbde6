#include "fovea/data/unicode.h"

#include <algorithm>
#include <iterator>

#include "fovea/base/small_letters.h"
#include "fovea/base/utf8.h"

namespace fovea::data {

const uint8_t* character_flags() {
  static const std::vector<uint8_t> flags = [] {
    std::vector<uint8_t> all(0x110000);
    for (const FlagRun& run : kFlags) std::fill(&all[run.first], &all[run.last] + 1, run.flags);
    return all;
  }();
  return flags.data();
}

uint32_t next_code(std::string_view text, size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) {
    ++at;
    return lead;
  }
  const Character c = first_character(text.substr(at));
  at += c.bytes;
  return c.code;
}

int decompose(uint32_t code, std::array<uint32_t, 4>& parts) {
  constexpr uint32_t kFirst = 0xAC00, kLast = 0xD7A3, kVowels = 21, kFinals = 28;
  parts[0] = code;
  if (code < 0xC0) return 1;
  if (code >= kFirst && code <= kLast) {  // Hangul: a leading consonant, a vowel, perhaps a final consonant
    const uint32_t i = code - kFirst;
    parts = {0x1100 + i / (kVowels * kFinals), 0x1161 + i % (kVowels * kFinals) / kFinals,
             0x11A7 + i % kFinals};
    return i % kFinals == 0 ? 2 : 3;
  }
  const Decomposition* found =
      std::lower_bound(std::begin(kDecompositions), std::end(kDecompositions), code,
                       [](const Decomposition& d, uint32_t c) { return d.code < c; });
  if (found == std::end(kDecompositions) || found->code != code) return 1;
  std::copy(std::begin(found->parts), std::end(found->parts), parts.begin());
  return static_cast<int>(std::find(parts.begin(), parts.end(), 0u) - parts.begin());
}

uint8_t combining_rank(uint32_t code) {
  if (code < 0x300) return 0;
  const CombiningRun* run = find_row(kCombining, code);
  return run == nullptr ? 0 : run->rank;
}

void append_lossy(std::string& text, std::string_view bytes) {
  const auto byte = [&](size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0; };
  for (size_t i = 0; i < bytes.size();) {
    const Character c = first_character(bytes.substr(i));
    if (c.valid) {
      text += bytes.substr(i, c.bytes);
      i += c.bytes;
      continue;
    }
    // How far the bytes could still have become a character: the lead, and continuations within its range.
    const int lead = byte(i);
    const int low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const int high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    const size_t length = lead >= 0xF0 && lead <= 0xF4   ? 4
                          : lead >= 0xE0 && lead <= 0xEF ? 3
                          : lead >= 0xC2 && lead <= 0xDF ? 2
                                                         : 1;
    size_t taken = 1;
    if (length > 1 && byte(i + 1) >= low && byte(i + 1) <= high) {
      ++taken;
      while (taken < length && (byte(i + taken) & 0xC0) == 0x80) ++taken;
    }
    text += kReplacementCharacter;
    i += taken;
  }
}

}  // namespace fovea::data
