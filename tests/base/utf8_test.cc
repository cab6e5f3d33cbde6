#include "fovea/base/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fovea {
namespace {

// The definition, the other way round: the bytes of a code.
std::string encoded(uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
}

TEST(Utf8, EveryCodeIsReadBackButSurrogates) {
  for (uint32_t code = 0; code <= 0x110010; ++code) {
    const bool valid = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    const std::string bytes = encoded(code);
    const Character c = first_character(bytes + "x");
    ASSERT_EQ(c.valid, valid) << code;
    ASSERT_EQ(c.code, valid ? code : 0xFFFD) << code;
    ASSERT_EQ(c.bytes, valid ? bytes.size() : 1) << code;
    if (bytes.size() > 1) {
      ASSERT_FALSE(first_character(std::string_view(bytes).substr(0, bytes.size() - 1)).valid);
    }
  }
}

TEST(Utf8, OverlongFormsAndStrayBytesAreInvalid) {
  for (const char* text : {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\x80", "\xBF",
                           "\xF5\x80\x80\x80", "\xFF", "\xE2\x28\xA1", "\xC3"}) {
    EXPECT_FALSE(first_character(text).valid);
    EXPECT_EQ(find_invalid_utf8(std::string("ok\xC3\xA9") + text), 4u);
  }
  EXPECT_EQ(find_invalid_utf8("나는 학생 이다 . 😀"), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8(""), std::string_view::npos);
}

TEST(Utf8, CharactersComeInOrderAndInvalidBytesStandAlone) {
  std::vector<std::string> characters;
  std::vector<uint32_t> codes;
  for_each_character("a\xFF\xC3\xA9학\xE2\x82", [&](std::string_view character, uint32_t code) {
    characters.emplace_back(character);
    codes.push_back(code);
  });
  EXPECT_EQ(characters, (std::vector<std::string>{"a", "\xFF", "\xC3\xA9", "학", "\xE2", "\x82"}));
  EXPECT_EQ(codes, (std::vector<uint32_t>{'a', 0xFFFD, 0xE9, 0xD559, 0xFFFD, 0xFFFD}));
}

}  // namespace
}  // namespace fovea
