#include "fovea/look/width.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/look/colors.h"
#include "fovea/look/escape.h"

namespace fovea::look {
namespace {

TEST(Width, WideCharactersTakeTwoColumnsAndMarksNone) {
  EXPECT_EQ(width(""), 0);
  EXPECT_EQ(width("student"), 7);
  EXPECT_EQ(width("나는 학생"), 9);
  EXPECT_EQ(width("漢字カナ"), 8);
  EXPECT_EQ(width("ｆｕｌｌ"), 8);
  EXPECT_EQ(width("e\xCC\x81"), 1);                             // e and a combining acute
  EXPECT_EQ(width("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB"), 2);  // 한 in three jamo
  EXPECT_EQ(width("é→…"), 3);
  EXPECT_EQ(width("🙂"), 2);
}

TEST(Width, InvalidTextAndControlsAreReplacedOneByOne) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(clean("a\xff"
                  "b"),
            "a" + bad + "b");
  EXPECT_EQ(clean("\x1b[31m\n\x7f"), bad + "[31m" + bad + bad);
  EXPECT_EQ(clean("\xC0\xAF"), bad + bad);              // overlong
  EXPECT_EQ(clean("\xED\xA0\x80"), bad + bad + bad);    // a surrogate
  EXPECT_EQ(clean("\xE2\x80\xAE"), bad);                // turns the direction of text
  EXPECT_EQ(clean("\xC2\x85\xEF\xBF\xBF"), bad + bad);  // a C1 control; no character
  EXPECT_EQ(clean("\xED\x95"), bad + bad);              // cut short
  EXPECT_EQ(clean("나"), "나");
  EXPECT_EQ(width("\xff\n"), 2);
}

TEST(Width, ElisionKeepsWithinTheColumns) {
  EXPECT_EQ(elide("student", 7), "student");
  EXPECT_EQ(elide("student", 6), "stude…");
  EXPECT_EQ(elide("나는 학생", 6), "나는 …");
  EXPECT_EQ(elide("나는", 3), "나…");
  EXPECT_EQ(elide("나는", 2), "…");
  EXPECT_EQ(elide("나는", 0), "");
  EXPECT_EQ(elide("e\xCC\x81xyz", 2), "e\xCC\x81…");
  EXPECT_EQ(fit("나", 4), "나  ");
  EXPECT_EQ(fit("나", 4, Align::kRight), "  나");
  EXPECT_EQ(fit("나", 4, Align::kCenter), " 나 ");
  for (int columns = 0; columns < 12; ++columns) EXPECT_EQ(width(fit("a나b는c학", columns)), columns);
}

TEST(Escape, NoTextLeavesItsPlace) {
  EXPECT_EQ(xml("<a b='c' d=\"e\">&\x01"), "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;\xEF\xBF\xBD");
  EXPECT_EQ(json_string("</script>\"\\\n\x01\xff"), "\"\\u003c/script>\\\"\\\\\\n\\u0001\\ufffd\"");
  EXPECT_EQ(json_string("\xE2\x80\xA8나"), "\"\\u2028\\ub098\"");
}

TEST(Colors, LightnessFallsEvenlyAndDarkTurnsTheScaleRound) {
  EXPECT_EQ(color_of(0).hex(), "#edf4fd");
  EXPECT_EQ(color_of(1).hex(), "#102c4d");
  EXPECT_EQ(color_of(0, true).hex(), color_of(1).hex());
  EXPECT_EQ(color_of(7).hex(), color_of(1).hex());
  int before = 256 * 1000;
  for (int i = 0; i <= 100; ++i) {
    const Color c = color_of(static_cast<float>(i) / 100);
    const int light = 299 * c.red + 587 * c.green + 114 * c.blue;
    EXPECT_LT(light, before) << i;
    before = light;
  }
  EXPECT_TRUE(wants_dark_text(color_of(0)));
  EXPECT_FALSE(wants_dark_text(color_of(1)));
}

TEST(Wrap, BreaksAtBlanksAndKeepsEveryCharacter) {
  using testing::ElementsAre;
  EXPECT_THAT(wrap("the animal did not cross", 10), ElementsAre("the animal", "did not", "cross"));
  EXPECT_THAT(wrap("나는 학생 이다", 9), ElementsAre("나는 학생", "이다"));
  EXPECT_THAT(wrap("나는 학생 이다", 8), ElementsAre("나는", "학생", "이다"));
  EXPECT_THAT(wrap("abcdefgh ij", 5), ElementsAre("abcde", "fgh", "ij"));
  EXPECT_THAT(wrap("학생학생", 5), ElementsAre("학생", "학생"));
  EXPECT_THAT(wrap("학", 1), ElementsAre("학"));  // narrower than any of its characters
  EXPECT_THAT(wrap("e\u0301e\u0301", 1), ElementsAre("e\u0301", "e\u0301"));
  EXPECT_THAT(wrap("", 5), ElementsAre(""));
  EXPECT_THAT(wrap("a b", 80), ElementsAre("a b"));
  EXPECT_EQ(wrapped("the animal", 5), "the\nanima\nl\n");
}

}  // namespace
}  // namespace fovea::look
