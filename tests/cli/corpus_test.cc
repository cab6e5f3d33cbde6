// fovea corpus as a user runs it: what there is, lines to look at, files to train on.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "fovea/base/file.h"
#include "fovea/data/pictures/read.h"
#include "tests/cli/run_command.h"

namespace fovea::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CorpusVerb : public ::testing::Test {
 protected:
  fs::path folder_ = fs::path(::testing::TempDir()) / ("corpus_" + std::to_string(::getpid()));
  CorpusVerb() { fs::remove_all(folder_); }
  ~CorpusVerb() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  int64_t lines(const std::string& name) const {
    const std::string text = read_file(path(name));
    return std::count(text.begin(), text.end(), '\n');
  }
};

TEST_F(CorpusVerb, AloneListsEveryCorpusWithALine) {
  const Ran ran = run_command({"corpus"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\ncopy: digits, as they are\n  in    "));
  EXPECT_THAT(ran.out, HasSubstr("\nreverse: "));
  EXPECT_THAT(ran.out, HasSubstr("\ndates: "));
  EXPECT_THAT(ran.out, HasSubstr("\ngrammar: English sentences in Korean or French"));
  EXPECT_THAT(ran.out, HasSubstr("\n  ko    "));
  EXPECT_THAT(ran.out, HasSubstr("\n  fr    "));
  EXPECT_THAT(ran.out, HasSubstr("\nscenes: pictures of one to three coloured shapes"));
  EXPECT_THAT(ran.out, HasSubstr("\ndigits: handwritten digits"));
}

TEST_F(CorpusVerb, ShowsLinesWithTheirAlignment) {
  const Ran ran = run_command({"corpus", "reverse", "--train", "3", "--min-words", "2", "--max-words", "2"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 3);
  EXPECT_EQ(ran.out.substr(3, 1), "\t");
  EXPECT_EQ(ran.out[0], ran.out[6]);
  EXPECT_EQ(ran.out.substr(8, 8), "1-0 0-1\n");
  const Ran ten = run_command({"corpus", "grammar"});
  EXPECT_EQ(std::count(ten.out.begin(), ten.out.end(), '\n'), 10);
}

TEST_F(CorpusVerb, WritesEveryPartWithItsAlignment) {
  const Ran ran = run_command({"corpus", "grammar", "--lang", "fr", "--train", "100", "--valid", "20",
                               "--test", "30", "--seed", "7", "--out", folder_.string()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out,
              StartsWith("part        pairs   source words   target words  files\ntrain         100 "));
  EXPECT_THAT(ran.out, HasSubstr(path("train") + ".{en,fr,align}\n"));
  for (const std::string side : {"en", "fr", "align"}) {
    EXPECT_EQ(lines("train." + side), 100);
    EXPECT_EQ(lines("valid." + side), 20);
    EXPECT_EQ(lines("test." + side), 30);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 9);
  EXPECT_THAT(read_file(path("test.align")), HasSubstr("0-0 "));
}

TEST_F(CorpusVerb, WritesNoAlignmentWhereThereIsNone) {
  const Ran ran = run_command(
      {"corpus", "dates", "--train", "5", "--valid", "0", "--test", "0", "--out", folder_.string()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(fs::exists(path("train.text")) && fs::exists(path("train.iso")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(CorpusVerb, LeavesTheOldFilesWhenItCannotWriteAllOfThem) {
  fs::create_directories(folder_ / "valid.out");  // a directory where a file should be
  std::ofstream(path("train.in")) << "old\n";
  const Ran ran = run_command({"corpus", "copy", "--out", folder_.string()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, StartsWith("[corpus] "));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
  EXPECT_EQ(read_file(path("train.in")), "old\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(CorpusVerb, WritesPicturesWithCaptionsAndMasksByParts) {
  const Ran ran = run_command({"corpus", "scenes", "--size", "12", "--valid", "3", "--test", "2", "--seed",
                               "7", "--out", folder_.string()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, StartsWith("part     pictures        KiB  directory\ntrain          12 "));
  EXPECT_THAT(ran.out, HasSubstr(path("test") + "\n"));
  EXPECT_EQ(lines("train/captions.tsv"), 12);
  EXPECT_EQ(lines("train/words.tsv"), 12);
  EXPECT_EQ(lines("valid/captions.tsv"), 3);
  for (const char* file : {"train/000011.png", "train/masks/000011.png", "test/masks/000001.png"})
    EXPECT_TRUE(fs::exists(path(file))) << file;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 3);
  const Ran again = run_command({"corpus", "scenes", "--out", folder_.string()});
  EXPECT_EQ(again.code, 1);
  EXPECT_EQ(again.err,
            "[corpus] " + path("train") + " is there already: give another directory, or remove it\n");
}

TEST_F(CorpusVerb, WritesClutteredDigitsWithTheirCentres) {
  const Ran ran = run_command({"corpus", "digits", "--cluttered", "--train", "5", "--valid", "0", "--test",
                               "0", "--noise", "0.05", "--out", folder_.string()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(lines("train/labels.tsv"), 5);
  EXPECT_EQ(lines("train/centres.tsv"), 5);
  EXPECT_THAT(read_file(path("train/labels.tsv")), StartsWith("000000.png\t"));
  EXPECT_FALSE(fs::exists(path("valid")));
}

TEST_F(CorpusVerb, WritesASheetToLookAt) {
  fs::create_directories(folder_);
  const Ran ran =
      run_command({"corpus", "digits", "--train", "11", "--valid", "1", "--sheet", path("sheet.png")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const data::Picture sheet = data::read_picture(path("sheet.png"));
  EXPECT_EQ(sheet.width, 10 * (2 * 28 + 2) - 2);
  EXPECT_EQ(sheet.height, 2 * (2 * 28 + 2) - 2);
}

TEST_F(CorpusVerb, ShowsCaptionsAndLabels) {
  const Ran scenes = run_command({"corpus", "scenes", "--min-shapes", "3"});
  EXPECT_EQ(std::count(scenes.out.begin(), scenes.out.end(), '\n'), 10);
  const Ran digits = run_command({"corpus", "digits", "--test", "2"});
  EXPECT_EQ(digits.code, 0) << digits.err;
  EXPECT_EQ(digits.out.size(), 4u);  // a digit and the end of its line, twice
}

TEST_F(CorpusVerb, ExplainsWrongUsage) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"corpus", "grammer"}, "no built-in corpus is called 'grammer'; there are grammar, "},
      {{"corpus", "--out", "x"}, "--out needs the name of a corpus"},
      {{"corpus", "copy", "--train", "-3"}, "--train"},
      {{"corpus", "copy", "--cluttered"}, "--cluttered is an option of corpora of pictures: copy has none"},
      {{"corpus", "digits", "--lang", "fr"}, "--lang is an option of corpora of lines: digits has none"},
      {{"corpus", "scenes", "--min-shapes", "3", "--max-shapes", "2"}, "expected a range"},
      {{"corpus", "scenes", "--noise", "7"}, "--noise"},
      {{"corpus", "scenes", "--out", "x", "--sheet", "y"}, "--out and --sheet: give one of them"},
      {{"corpus", "grammar", "--lang", "de"},
       "[corpus] grammar has no language 'de'; it has ko, fr; see fovea corpus --help\n"},
      {{"corpus", "copy", "--max-words", "1", "--train", "11"},
       "copy of 1 to 1 words has 10 lines for train"},
  };
  for (const auto& [arguments, message] : cases) {
    const Ran ran = run_command(arguments);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(message));
  }
}

TEST_F(CorpusVerb, HelpNamesTheFlagsAndAnExample) {
  const Ran ran = run_command({"corpus", "--help"});
  EXPECT_EQ(ran.code, 0);
  for (const char* text :
       {"--out DIR", "--train N", "--size N", "--lang LANG", "--min-words N", "--cluttered",
        "fovea corpus grammar --lang fr", "fovea corpus scenes --size 2000"})
    EXPECT_THAT(ran.out, HasSubstr(text));
}

}  // namespace
}  // namespace fovea::testing
