// UTF-8, character by character. Overlong forms, surrogates and codes beyond U+10FFFF are invalid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fovea {

// U+FFFD: what stands where text was invalid or unknown.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

struct Character {
  uint32_t code = 0xFFFD;
  size_t bytes = 1;  // taken from the text; an invalid byte stands alone
  bool valid = false;
};

// The character at the front of `text`, which is not empty.
inline Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  uint32_t code = lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length, true};
}

// Adds the character of a code to `text`.
inline void append_utf8(std::string& text, uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80)
    text += static_cast<char>(code);
  else if (code < 0x800)
    text.append({static_cast<char>(0xC0 | code >> 6), tail(0)});
  else if (code < 0x10000)
    text.append({static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)});
  else
    text.append({static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)});
}

// Calls f(std::string_view character, uint32_t code) for every character; an invalid byte has the code U+FFFD.
template <typename F>
void for_each_character(std::string_view text, F&& f) {
  while (!text.empty()) {
    const Character c = first_character(text);
    f(text.substr(0, c.bytes), c.code);
    text.remove_prefix(c.bytes);
  }
}

// Throws [who] WHAT is not UTF-8 ... for what is not.
void check_utf8(std::string_view text, std::string_view who, std::string_view what);

// Where the first invalid byte is; npos in valid text.
inline size_t find_invalid_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const Character c = first_character(text.substr(i));
    if (!c.valid) return i;
    i += c.bytes;
  }
  return std::string_view::npos;
}

}  // namespace fovea
