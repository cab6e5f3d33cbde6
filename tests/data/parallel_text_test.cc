#include "fovea/data/parallel_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/base/error.h"
#include "tests/data/files.h"

namespace fovea::data {
namespace {

using fovea::testing::gzipped;
using fovea::testing::OpenPipe;
using fovea::testing::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ParallelTextTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name, std::string_view bytes) { return directory.write(name, bytes); }
  // With the directory's name taken out.
  std::string error(const ParallelFiles& files) {
    try {
      read_pairs(files, "train");
    } catch (const Error& error) {
      std::string message = error.what();
      for (size_t at = 0; (at = message.find(directory.path(""))) != std::string::npos;)
        message.erase(at, directory.path("").size());
      return message;
    }
    return "no error";
  }
  TemporaryDirectory directory;
};

TEST_F(ParallelTextTest, TwoFilesAreReadSideBySide) {
  const auto pairs = read_pairs({file("a.en", "I am\n\nlast"), file("a.ko", gzipped("나는\n빈\n\n")), ""});
  EXPECT_THAT(pairs, ElementsAre(Pair{"I am", "나는", {}}, Pair{"", "빈", {}}, Pair{"last", "", {}}));
}

TEST_F(ParallelTextTest, FilesThatDoNotMatchAreCounted) {
  std::string lines;
  for (int i = 0; i < 2900; ++i) lines += "line\n";
  const std::string en = file("corpus.en", lines), de = file("corpus.de", lines.substr(5));
  EXPECT_EQ(
      error({en, de, ""}),
      "[train] corpus.en has 2,900 lines and corpus.de 2,899: they must match line by line; check the end of "
      "corpus.de");
  EXPECT_EQ(
      error({de, en, ""}),
      "[train] corpus.en has 2,900 lines and corpus.de 2,899: they must match line by line; check the end of "
      "corpus.de");
  EXPECT_THAT(error({en, en, file("links", "\n\n")}), HasSubstr("corpus.en has 2,900 lines and links 2:"));
  EXPECT_THAT(error({file("short", "a\n"), file("short2", "b\n"), file("links", "0-0\n\n\n")}),
              HasSubstr("links has 3 lines and short 1:"));
  EXPECT_THAT(error({en, file("empty", ""), ""}), HasSubstr("corpus.en has 2,900 lines and empty 0:"));
}

TEST_F(ParallelTextTest, APipeWithoutAnEndIsNotReadToIt) {
  const OpenPipe pipe("a\nb\nc\n");
  EXPECT_THAT(error({pipe.path(), file("one", "a\n"), ""}), HasSubstr("has at least 2 lines and one 1:"));
}

TEST_F(ParallelTextTest, ColumnsAreSeparatedByTabs) {
  const auto pairs = read_pairs({file("a.tsv", "I am\t나는\nhe is\t그는 이다\t0-0 1-1\n\t\n"), "", ""});
  EXPECT_THAT(pairs, ElementsAre(Pair{"I am", "나는", {}}, Pair{"he is", "그는 이다", {{0, 0}, {1, 1}}},
                                 Pair{"", "", {}}));
  EXPECT_EQ(
      error({file("b.tsv", "a\tb\nno tab\n"), "", ""}),
      "[train] b.tsv: line 2 has 1 columns: expected source TAB target, or source TAB target TAB alignment, "
      "where one file is given; of two, the first has the sources and the second the targets");
  EXPECT_THAT(error({file("b.tsv", "1\ta\t2\tb\n"), "", ""}), HasSubstr("line 1 has 4 columns"));
  EXPECT_THAT(error({file("b.tsv", "a\tb\n"), "", file("links", "0-0\n")}), HasSubstr("third column"));
}

TEST_F(ParallelTextTest, AlignmentsAreReadAndChecked) {
  const std::string en = file("en", "I am\nx\n"), ko = file("ko", "나는 학생\ny\n");
  const auto pairs = read_pairs({en, ko, file("links", "0-0 1?1\n\n")});
  EXPECT_THAT(pairs, ElementsAre(Pair{"I am", "나는 학생", {{0, 0}, {1, 1, false}}}, Pair{"x", "y", {}}));
  EXPECT_EQ(error({en, ko, file("bad", "0-0\n0 0\n")}),
            "[train] bad: line 2 has '0 0': expected an alignment such as 0-0 1-2");
  EXPECT_EQ(error({en, ko, file("bad", "0-0\n0-1\n")}),
            "[train] bad: line 2 links word 0 to word 1, counted from 0, but the lines have 1 and 1 words");
  EXPECT_THAT(error({file("a.tsv", "a\tb\t1-0\n"), "", ""}),
              HasSubstr("a.tsv: line 1 links word 1 to word 0"));
}

TEST_F(ParallelTextTest, StandardInputCanBeOneFileOnly) {
  EXPECT_EQ(error({"-", "-", ""}), "[train] standard input can be one of the files, not 2");
}

}  // namespace
}  // namespace fovea::data
