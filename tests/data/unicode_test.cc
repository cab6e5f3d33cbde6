#include "fovea/data/unicode.h"

#include <gtest/gtest.h>

#include "fovea/data/pipeline/bert_normalizer.h"

namespace fovea::data {
namespace {

std::string after(void (*step)(AlignedText&), const std::string& line) {
  AlignedText text = AlignedText::of(line, 0, true);
  step(text);
  EXPECT_EQ(text.places.size(), text.text.size()) << line;
  return text.text;
}

TEST(Unicode, CharactersFallApartIntoAllTheirParts) {
  EXPECT_EQ(after(fall_apart, "abc"), "abc");
  EXPECT_EQ(after(fall_apart, "\u00E9"), "e\u0301");
  EXPECT_EQ(after(fall_apart, "\u1E9B\u0323"), "\u017F\u0323\u0307");
  EXPECT_EQ(after(fall_apart, "\uD55C\uAE00\uAC00"), "\u1112\u1161\u11AB\u1100\u1173\u11AF\u1100\u1161");
}

TEST(Unicode, ACharacterMayBecomeOneOther) {
  EXPECT_EQ(after(fall_apart, "\uF901"), "\u66F4");
  EXPECT_EQ(after(fall_apart, "\u2126"), "\u03A9");
  EXPECT_EQ(after(fall_apart, "\u212B"), "A\u030A");
}

TEST(Unicode, MarksAreWrittenInTheirOrder) {
  EXPECT_EQ(after(fall_apart, "q\u0307\u0323"), "q\u0323\u0307");
  EXPECT_EQ(after(fall_apart, "q\u0323\u0307"), "q\u0323\u0307");
  EXPECT_EQ(after(fall_apart, "q\u0307\u0301"), "q\u0307\u0301") << "equal ranks stay as they are";
}

TEST(Unicode, SmallLettersComeCharacterByCharacter) {
  EXPECT_EQ(after(lowercase, "ABC xyz"), "abc xyz");
  EXPECT_EQ(after(lowercase, "\u0391\u03A3"), "\u03B1\u03C3") << "no sigma for the end of a word";
  EXPECT_EQ(after(lowercase, "\u0130"), "i\u0307");
  EXPECT_EQ(after(lowercase, "\U00010400"), "\U00010428");
}

TEST(Unicode, BertReadsTextWithoutAccentsAndControlCharacters) {
  AlignedText text = AlignedText::of("\u00C9t\u00E9\x01\t\u6F22x\uF901", 0, true);
  BertNormalizer{}(text);
  EXPECT_EQ(text.text, "ete  \u6F22 x \u66F4 ");
}

TEST(Unicode, BytesThatBreakOffBecomeOneReplacement) {
  const auto lossy = [](const std::string& bytes) {
    std::string text;
    append_lossy(text, bytes);
    return text;
  };
  EXPECT_EQ(lossy("a\u00E9"), "a\u00E9");
  EXPECT_EQ(lossy("\xF0\x9F\x98x"), "\uFFFDx");
  EXPECT_EQ(lossy("\xE0\x80\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(lossy("\xFF\xC3"), "\uFFFD\uFFFD");
}

}  // namespace
}  // namespace fovea::data
