#include "fovea/data/readings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/error_message.h"
#include "tests/temporary_directory.h"

namespace fovea::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReadingFiles : public ::testing::Test {
 protected:
  ReadingFiles() {
    const std::vector<std::string> lines = {"a b c d e f g h i j", "a b c d e f g h i j"};
    tokenizer_ = train_tokenizer(lines, {.kind = "wordpiece", .vocab_size = 60});
    ids_ = tokenizer_->special_ids();
  }
  std::string write(const std::string& text) {
    const std::string path = dir_.path() + "/lines.tsv";
    std::ofstream(path) << text;
    return path;
  }
  TemporaryDirectory dir_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  SpecialIds ids_;
};

TEST_F(ReadingFiles, MarksStandAroundOneSentenceOrTwo) {
  const Reading one = marked(*tokenizer_, "a b", {}, false, 100);
  ASSERT_EQ(one.ids.size(), 4u);
  EXPECT_EQ(one.ids.front(), ids_.cls);
  EXPECT_EQ(one.ids.back(), ids_.sep);
  const Reading two = marked(*tokenizer_, "a b", "c", true, 100);
  EXPECT_EQ(two.ids.size(), 6u);
  EXPECT_THAT(two.segments, ElementsAre(0, 0, 0, 0, 1, 1));
  const Reading cut = marked(*tokenizer_, "a b c d", "e f", true, 7);  // the longer one loses first
  EXPECT_EQ(cut.ids, marked(*tokenizer_, "a b", "e f", true, 100).ids);
}

TEST_F(ReadingFiles, LabelsAreNumberedByTheirNames) {
  const std::string path = write("a b\tno\nc\tyes\n\nd e\tno\n");
  const Readings all = read_readings({path}, *tokenizer_, {.wanted = Wanted::kLabel});
  EXPECT_THAT(all.labels, ElementsAre("no", "yes"));
  EXPECT_EQ(all.lines.size(), 3u);
  EXPECT_EQ(all.empty, 1);
  EXPECT_THAT(all.lines[1].wanted, ElementsAre(1));
  const int32_t lines[] = {0, 1};
  const Batch batch = reading_batch(all, lines, *tokenizer_, {.wanted = Wanted::kLabel}, 1, 0);
  EXPECT_EQ(batch.target_out.values<int32_t>(), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(batch.source.lengths.values<int32_t>(), (std::vector<int32_t>{4, 3}));
  EXPECT_THAT(error_of([&] {
                read_readings({path}, *tokenizer_, {.wanted = Wanted::kLabel}, {"no", "maybe"});
              }),
              HasSubstr("line 2 has the label 'yes', which the model does not know"));
}

TEST_F(ReadingFiles, WordsHaveTheLabelOfTheirFirstPiece) {
  const std::string path = write("a b\tX Y\n");
  const Readings all = read_readings({path}, *tokenizer_, {.wanted = Wanted::kTokenLabels});
  EXPECT_THAT(all.lines[0].wanted, ElementsAre(kIgnore, 0, 1, kIgnore));
  EXPECT_THAT(
      error_of([&] { read_readings({write("a b\tX\n")}, *tokenizer_, {.wanted = Wanted::kTokenLabels}); }),
      HasSubstr("2 words and 1 labels"));
}

TEST_F(ReadingFiles, WrongColumnsSaySo) {
  EXPECT_THAT(
      error_of([&] { read_readings({write("no label\n")}, *tokenizer_, {.wanted = Wanted::kLabel}); }),
      HasSubstr("line 1 has 1 columns: expected SENTENCE <tab> LABEL"));
  EXPECT_THAT(error_of([&] { read_readings({write("")}, *tokenizer_, {}); }),
              HasSubstr("no lines to learn from"));
}

TEST_F(ReadingFiles, HiddenWordsFollowTheRuleOfEightyTenTen) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "a b c d e f g h i j\n";
  const Readings all = read_readings({write(text)}, *tokenizer_, {});
  std::vector<int32_t> lines(2000);
  for (int32_t i = 0; i < 2000; ++i) lines[static_cast<size_t>(i)] = i;
  const Batch batch = reading_batch(all, lines, *tokenizer_, {}, 7, 3);
  double masked = 0, same = 0, other = 0;
  for (int64_t i = 0; i < batch.target_out.size(); ++i) {
    const int32_t wanted = batch.target_out.data<int32_t>()[i], shown = batch.source.ids.data<int32_t>()[i];
    const int32_t said = all.lines[static_cast<size_t>(i / 12)].ids[static_cast<size_t>(i % 12)];
    if (wanted == kIgnore) {
      EXPECT_EQ(shown, said);
      continue;
    }
    EXPECT_EQ(wanted, said);
    EXPECT_NE(said, ids_.cls);
    EXPECT_NE(said, ids_.sep);
    (shown == ids_.mask ? masked : shown == said ? same : other) += 1;
  }
  const double hidden = masked + same + other;
  EXPECT_EQ(static_cast<int64_t>(hidden), batch.target_tokens);
  EXPECT_NEAR(hidden / 20000, 0.2, 1e-9);  // 15 % of 10 words, rounded: 2 of each line
  const double by_chance =
      0.1 / static_cast<double>(tokenizer_->size());  // a word drawn may be [MASK], or the one that was there
  EXPECT_NEAR(masked / hidden, 0.8 + by_chance, 0.015);
  EXPECT_NEAR(same / hidden, 0.1 + by_chance, 0.012);
  EXPECT_NEAR(other / hidden, 0.1 - 2 * by_chance, 0.012);
  // A function of (seed, epoch, line).
  const int32_t one[] = {5};
  const Batch again = reading_batch(all, one, *tokenizer_, {}, 7, 3),
              later = reading_batch(all, one, *tokenizer_, {}, 7, 4);
  EXPECT_TRUE(std::equal(again.source.ids.data<int32_t>(), again.source.ids.data<int32_t>() + 12,
                         batch.source.ids.data<int32_t>() + 5 * 12));
  EXPECT_NE(again.target_out.values<int32_t>(), later.target_out.values<int32_t>());
}

}  // namespace
}  // namespace fovea::data
