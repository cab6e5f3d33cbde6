#include "fovea/look/label.h"

#include <gtest/gtest.h>

#include "fovea/look/atlas_select.h"

namespace fovea::look {
namespace {

TEST(Label, OfAnUnknownTokenKeepsItsMarkWhenItIsCut) {
  EXPECT_EQ(unknown_label("unicorn"), "unicorn<unk>");
  EXPECT_EQ(unknown_label("<unk>"), "<unk>");
  EXPECT_EQ(elide_label("unicorn<unk>", 12), "unicorn<unk>");
  EXPECT_EQ(elide_label("unicorn<unk>", 9), "uni…<unk>");
  EXPECT_EQ(elide_label("유니콘<unk>", 9), "유…<unk>");
  EXPECT_EQ(elide_label("unicorn<unk>", 6), "unico…");  // no room for both
  EXPECT_EQ(elide_label("unicorns", 6), "unico…");
  EXPECT_EQ(fit_label("유니콘<unk>", 9), "유…<unk> ");
}

TEST(Label, OfAnUnknownTokenIsFoundByItsText) {
  EXPECT_EQ(find_row({"a", "unicorn<unk>"}, "unicorn"), 1);
  EXPECT_EQ(find_row({"a", "unicorn<unk>"}, "unicorn<unk>"), 1);
  EXPECT_EQ(find_row({"a", "▁unicorn<unk>"}, "unicorn"), 1);
  EXPECT_EQ(find_row({"a<unk>", "<unk>"}, "<unk>"), 1);
}

}  // namespace
}  // namespace fovea::look
