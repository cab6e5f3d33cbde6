#include "fovea/look/svg_title.h"

#include <gmock/gmock.h>

#include "fovea/look/atlas_svg.h"
#include "fovea/look/svg.h"
#include "fovea/look/width.h"
#include "tests/look/made_atlas.h"
#include "tests/look/text_parts.h"

namespace fovea::look {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SvgTitle, HasBothSidesOfATranslation) {
  EXPECT_THAT(title_lines("I am → 나는", 20), ElementsAre("I am → 나는"));
  EXPECT_THAT(title_lines("I am a student → 나는 학생 이다", 16),
              ElementsAre("I am a student", "→ 나는 학생 이다"));
  EXPECT_THAT(title_lines("I am a student → 나는 학생 이다", 10),
              ElementsAre("I am a", "student", "→ 나는", "학생 이다"));
  EXPECT_THAT(title_lines("to be or not to be", 8), ElementsAre("to be or", "not to", "be"));
}

TEST(SvgTitle, OfEveryPictureIsWhole) {
  const std::string title =
      "he slept because he was tired , but she worked in the library until late at night → "
      "그가 피곤했기 때문에 그는 잤다 . 그러나 그녀는 도서관에서 밤 늦게까지 일했다 .";
  Atlas atlas = made_encoder(1, 2);
  atlas.title = title;
  Map map = head_map(atlas.stacks[0], 0, 0);
  map.title = title;
  for (const std::string& svg : {to_svg(atlas), to_svg(map)}) {
    EXPECT_THAT(svg, HasSubstr(">he slept because"));
    EXPECT_THAT(svg, HasSubstr("일했다 .</text>"));
    EXPECT_EQ(svg.find("…"), std::string::npos);
  }
}

}  // namespace
}  // namespace fovea::look
