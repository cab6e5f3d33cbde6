#include "fovea/study/progress.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <memory>

namespace fovea::study {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ProgressText : public ::testing::Test {
 protected:
  ProgressText() { state_.settings.after = {100, 'u'}; }

  // Trains the second of three trials from update `from` on.
  std::string train(bool bar, int64_t from = 0) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
    {
      Progress progress(file.get(), bar);
      progress.next(trials_, 1);
      state_.update = from;
      progress.began(state_);
      while (state_.update < 100) {
        ++state_.update;
        progress.updated(state_, {});
      }
      progress.testing();
      progress.tested(state_, "exact 90.0 %");
      progress.testing();
    }
    std::string text(static_cast<size_t>(std::ftell(file.get())), '\0');
    std::rewind(file.get());
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), file.get()), text.size());
    return text;
  }

  std::vector<Trial> trials_ = {{"dot", {}}, {"additive", {}}, {"concat", {}}};
  train::RunState state_;
};

TEST_F(ProgressText, IsALineForEachQuarter) {
  const std::string text = train(false);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_THAT(text, StartsWith("[study] 2/3 additive: 25 %, cost 0.0000, 0s left; the study: 0s left\n"));
  EXPECT_THAT(text, HasSubstr("\n[study] 2/3 additive: 100 %"));
  EXPECT_THAT(text, HasSubstr("\n[study] 2/3 additive: 100 updates in 0s: exact 90.0 %\n"));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
}

TEST_F(ProgressText, OfARunThatGoesOnBeginsThere) {
  const std::string text = train(false, 60);
  EXPECT_THAT(text, StartsWith("[study] 2/3 additive: goes on after update 60\n[study] 2/3 additive: 75 %"));
}

TEST_F(ProgressText, OnATerminalIsABarThatLeavesNothingBehind) {
  const std::string text = train(true);
  EXPECT_THAT(text, StartsWith("\r\033[K2/3 additive [................] 1 %, cost"));
  EXPECT_THAT(text, HasSubstr("\r\033[K2/3 additive is tested"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_TRUE(text.ends_with("\r\033[K"));
}

}  // namespace
}  // namespace fovea::study
