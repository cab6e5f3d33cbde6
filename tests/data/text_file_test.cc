#include "fovea/data/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/base/error.h"
#include "fovea/base/random.h"
#include "tests/data/files.h"

namespace fovea::data {
namespace {

using fovea::testing::gzipped;
using fovea::testing::OpenPipe;
using fovea::testing::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TextFileTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines(std::string_view bytes) {
    return read_lines(directory.write("text", bytes));
  }
  std::string error(std::string_view bytes) {
    try {
      lines(bytes);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  TemporaryDirectory directory;
};

TEST_F(TextFileTest, LinesEndInEveryWayThatLinesEnd) {
  EXPECT_THAT(lines(""), IsEmpty());
  EXPECT_THAT(lines("\n"), ElementsAre(""));
  EXPECT_THAT(lines("a"), ElementsAre("a"));
  EXPECT_THAT(lines("a\n"), ElementsAre("a"));
  EXPECT_THAT(lines("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines("a\r\nb\r\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines("a\r"), ElementsAre("a"));
  EXPECT_THAT(lines("a\r\r\n \n"), ElementsAre("a\r", " "));
  EXPECT_THAT(lines("나는\u2028학생\u0085\n이다"), ElementsAre("나는\u2028학생\u0085", "이다"));
}

TEST_F(TextFileTest, AByteOrderMarkIsSkippedAtTheBeginningOnly) {
  EXPECT_THAT(lines("\uFEFFa\n\uFEFFb\n"), ElementsAre("a", "\uFEFFb"));
  EXPECT_THAT(lines("\uFEFF"), ElementsAre(""));
}

TEST_F(TextFileTest, GzipIsKnownByItsBytesNotItsName) {
  const std::string text = "one\n나는 학생\nthree";
  EXPECT_THAT(lines(gzipped(text)), ElementsAre("one", "나는 학생", "three"));
  EXPECT_THAT(read_lines(directory.write("plain.gz", text)), ElementsAre("one", "나는 학생", "three"));
  EXPECT_THAT(lines(gzipped("")), IsEmpty());
  EXPECT_THAT(lines("\x1F"), ElementsAre("\x1F"));
  EXPECT_THAT(lines("\x1F\n"), ElementsAre("\x1F"));
}

TEST_F(TextFileTest, GzipFilesPutTogetherAreOne) {
  EXPECT_THAT(lines(gzipped("a\nb") + gzipped("c\n") + gzipped("") + gzipped("d")),
              ElementsAre("a", "bc", "d"));
  EXPECT_THAT(lines(gzipped("a\n") + std::string(1000, '\0')), ElementsAre("a"));
}

TEST_F(TextFileTest, TextOfManyBlocksIsReadWhole) {
  const uint64_t seed = 20;
  SCOPED_TRACE(seed);
  Random random(seed);
  std::string text;
  std::vector<std::string> wanted;
  for (int i = 0; i < 20'000; ++i) {
    std::string line;
    for (int64_t n = random.below(60); n > 0; --n) line += random.below(5) ? "x" : "학";
    if (i == 7777) line.assign(200'000, 'y');
    text += line + '\n';
    wanted.push_back(line);
  }
  EXPECT_EQ(lines(text), wanted);
  EXPECT_EQ(lines(gzipped(text)), wanted);
}

TEST_F(TextFileTest, GzipThatIsCutOrDamagedIsAnErrorWhereverItIsCut) {
  const std::string packed = gzipped("a line\nand another line\n");
  for (size_t size = 2; size < packed.size(); ++size)
    EXPECT_THAT(error(packed.substr(0, size)),
                EndsWith("text: the gzip data ends too early: the file is not complete"));
  for (size_t at = 0; at < packed.size(); ++at) {
    if (at == 0 || at == 1 || (at >= 4 && at <= 9))
      continue;  // the magic bytes; time, level and system, free to be anything
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
    EXPECT_THAT(error(damaged), HasSubstr("gzip")) << at;
  }
  EXPECT_THAT(error(packed + "more"), HasSubstr("damaged gzip data"));
}

TEST_F(TextFileTest, WhatIsNoUtf8IsNamedByLineAndByte) {
  EXPECT_THAT(
      error("fine\nna\xEFve\n"),
      EndsWith(
          "text: line 2, byte 3 is not UTF-8 (0xEF): expected UTF-8 text; iconv converts other encodings"));
  EXPECT_THAT(error("cut \xED\x95"), HasSubstr("line 1, byte 5 is not UTF-8 (0xED)"));
  EXPECT_THAT(error(std::string("a\0b\n", 4)),
              HasSubstr("line 1, byte 2 is a NUL: expected UTF-8 text; if it is UTF-16"));
  EXPECT_THAT(error(std::string("\xFF\xFEh\0i\0\n\0", 8)),
              HasSubstr("line 1, byte 1 is not UTF-8: expected UTF-8 text; if it is UTF-16"));
}

TEST_F(TextFileTest, ALineOfAMegabyteIsReadAndALongerOneIsNot) {
  EXPECT_EQ(lines("a\n" + std::string(TextFile::kMaxLine, 'b') + "\nc").at(1).size(), TextFile::kMaxLine);
  EXPECT_THAT(error("a\n" + std::string(TextFile::kMaxLine + 1, 'b') + "\nc"),
              HasSubstr("line 2 has more than 1,048,576 bytes: expected text"));
  EXPECT_THROW(read_lines("/dev/zero"), Error);
  // A bomb: 200 MB that are 200 kB on the disk.
  EXPECT_THAT(error(gzipped(std::string(200'000'000, 'b'))), HasSubstr("line 1 has more than"));
}

TEST_F(TextFileTest, PiecesOfLongLinesArePutTogetherTheLines) {
  constexpr uint64_t kSeed = 5;
  Random random(kSeed);
  for (int round = 0; round < 20; ++round) {
    std::string text =
        "\xEF\xBB\xBF"
        "first\r\n";
    while (text.size() < 5 * TextFile::kMaxPiece) {
      const std::string kind[] = {" ", "\n", "é", "학",
                                  std::string(static_cast<size_t>(random.below(70'000)), 'x')};
      const int64_t drawn = random.below(200);
      text += drawn < 3 ? kind[4] : drawn < 4 ? kind[1] : kind[static_cast<size_t>(drawn % 2 == 0 ? 2 : 3)];
      if (round % 2 == 0 && drawn > 150) text += ' ';
    }
    if (round % 3 == 0) text += '\n';
    TextFile file(directory.write("text", text));
    std::string together;
    for (std::string piece; file.next_piece(piece);) {
      ASSERT_LE(piece.size(), TextFile::kMaxPiece);
      together += piece + (file.ended() ? "\n" : "");
    }
    std::string want = text.substr(3);
    want.erase(want.find('\r'), 1);
    if (!want.ends_with('\n')) want += '\n';
    EXPECT_TRUE(together == want) << "seed " << kSeed << ", round " << round;
  }
}

TEST_F(TextFileTest, PiecesAreCutBeforeBlanks) {
  TextFile file(directory.write("text", "a " + std::string(TextFile::kMaxPiece, 'b') + " c"));
  std::string piece;
  ASSERT_TRUE(file.next_piece(piece));
  EXPECT_EQ(piece, "a");
  EXPECT_FALSE(file.ended());
}

TEST_F(TextFileTest, AsManyLinesAreTakenAsAreThere) {
  OpenPipe pipe("first\nsecond\n");
  TextFile file(pipe.path());
  std::vector<std::string> lines;
  ASSERT_TRUE(file.next_lines(lines, 100));
  EXPECT_THAT(lines, ElementsAre("first", "second"));
  pipe.add("third\nfourth\n");
  ASSERT_TRUE(file.next_lines(lines, 1));
  EXPECT_THAT(lines, ElementsAre("third"));
  pipe.end();
  ASSERT_TRUE(file.next_lines(lines, 100));
  EXPECT_THAT(lines, ElementsAre("fourth"));
  EXPECT_FALSE(file.next_lines(lines, 100));
  TextFile whole(directory.write("text", "aa\nbb\ncc\n"));
  ASSERT_TRUE(whole.next_lines(lines, 100, {}, 4));
  EXPECT_THAT(lines, ElementsAre("aa", "bb"));
}

TEST_F(TextFileTest, LinesOfAPipeComeAsSoonAsTheyAreThere) {
  const OpenPipe pipe("first\nsecond\n"), short_pipe("\n");
  TextFile file(pipe.path()), short_file(short_pipe.path());
  EXPECT_TRUE(file.may_be_endless());
  std::string line;
  for (const char* wanted : {"first", "second"}) {
    ASSERT_TRUE(file.next(line));
    EXPECT_EQ(line, wanted);
  }
  EXPECT_EQ(file.lines(), 2);
  ASSERT_TRUE(short_file.next(line));
  EXPECT_EQ(line, "");
}

TEST_F(TextFileTest, ReadySaysWhetherOneWouldWait) {
  OpenPipe pipe("");
  TextFile file(pipe.path());
  std::string line;
  EXPECT_FALSE(file.ready());
  pipe.add("first\nsecond\n");
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(file.ready());
    ASSERT_TRUE(file.next(line));
  }
  EXPECT_FALSE(file.ready());
  pipe.add("third");
  pipe.end();
  EXPECT_TRUE(file.ready());
  ASSERT_TRUE(file.next(line));
  EXPECT_EQ(line, "third");
  EXPECT_TRUE(file.ready());  // the end needs no waiting either
  EXPECT_FALSE(file.next(line));
  EXPECT_TRUE(TextFile(directory.write("text", "a\n")).ready());
  EXPECT_TRUE(TextFile(directory.write("empty", "")).ready());
}

TEST_F(TextFileTest, FilesThatCannotBeReadSayWhy) {
  const auto message = [&](const std::string& path) {
    try {
      read_lines(path, "train");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("/nowhere/to/be/found"), "[train] /nowhere/to/be/found: No such file or directory");
  EXPECT_EQ(message("/tmp"), "[train] /tmp: Is a directory");
}

}  // namespace
}  // namespace fovea::data
