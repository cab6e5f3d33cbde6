#include "fovea/study/parts.h"

#include <gmock/gmock.h>

#include <set>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "tests/temporary_directory.h"

namespace fovea::study {
namespace {

using ::testing::HasSubstr;

class FileParts : public ::testing::Test {
 protected:
  Parts split(const std::string& source, const std::string& target) {
    write_atomically(directory_ / "a", source);
    write_atomically(directory_ / "b", target);
    return file_parts(directory_ / "a", directory_ / "b");
  }
  // n lines: "word 0 ..", or with an own word in each.
  static std::string lines(int n, const std::string& word, int different = 1'000'000) {
    std::string text;
    for (int i = 0; i < n; ++i) text += fmt::format("{} {} x\n", word, i % different);
    return text;
  }
  TemporaryDirectory directory_;
};

TEST_F(FileParts, EveryPairIsInOnePart) {
  const Parts parts = split(lines(3000, "s"), lines(3000, "t"));
  const data::Corpus& c = parts.pairs;
  EXPECT_EQ(c.train.size() + c.valid.size() + c.test.size(), 3000U);
  EXPECT_NEAR(static_cast<double>(c.test.size()), 300, 60);
  EXPECT_NEAR(static_cast<double>(c.valid.size()), 150, 45);
  for (const auto* part : {&c.train, &c.valid, &c.test})
    for (const data::Pair& pair : *part) EXPECT_EQ(pair.source.substr(1), pair.target.substr(1));
  EXPECT_EQ(parts.tokenizer, "word");
}

TEST_F(FileParts, EqualSourcesAreInTheSamePart) {
  const Parts parts = split(lines(4000, "s", 500), lines(4000, "t"));
  std::set<std::string> train;
  for (const data::Pair& pair : parts.pairs.train) train.insert(pair.source);
  EXPECT_GT(train.size(), 300U);
  for (const auto* part : {&parts.pairs.valid, &parts.pairs.test})
    for (const data::Pair& pair : *part) EXPECT_FALSE(train.contains(pair.source)) << pair.source;
}

TEST_F(FileParts, ManyPairsHaveAThousandTestsOrSo) {
  const Parts parts = split(lines(60000, "s"), lines(60000, "t"));
  EXPECT_NEAR(static_cast<double>(parts.pairs.test.size()), 1000, 120);
  EXPECT_EQ(parts.tokenizer, "spm") << "60,000 different words";
}

TEST_F(FileParts, EmptySidesAreLeftOut) {
  const Parts parts = split(lines(1000, "s") + "\n \nz\n", lines(1000, "t") + "a\nb\n\n");
  EXPECT_EQ(parts.pairs.train.size() + parts.pairs.valid.size() + parts.pairs.test.size(), 1000U);
}

TEST_F(FileParts, TooFewPairsAreRefused) {
  try {
    split("a\n", "b\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("[study] "));
    EXPECT_THAT(error.what(), HasSubstr("have 1 pairs of lines with words on both sides, too few"));
  }
}

TEST(CorpusParts, NameTheTokenizerThatSuitsThem) {
  EXPECT_EQ(corpus_parts("dates", {.train = 3, .valid = 1, .test = 1, .language = {}}).tokenizer, "char");
}

}  // namespace
}  // namespace fovea::study
