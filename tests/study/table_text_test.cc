#include "fovea/study/table_text.h"

#include <gtest/gtest.h>

namespace fovea::study {
namespace {

TEST(TableText, WordsStandLeftAndNumbersRight) {
  EXPECT_EQ(to_text({{"score", "BLEU"}, {{"dot", "7.1"}, {"location", "100.0"}}}),
            "| score    |  BLEU |\n"
            "| :------- | ----: |\n"
            "| dot      |   7.1 |\n"
            "| location | 100.0 |\n");
}

TEST(TableText, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(to_text({{"a", "b", "c"}, {{"학생", "x", "1"}}}, 2),
            "| a    | b  |  c |\n"
            "| :--- | :- | -: |\n"
            "| 학생 | x  |  1 |\n");
}

}  // namespace
}  // namespace fovea::study
