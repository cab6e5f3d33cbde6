#include "fovea/data/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fovea/data/text_windows.h"
#include "tests/error_message.h"
#include "tests/temporary_directory.h"

namespace fovea::data {
namespace {

using ::testing::HasSubstr;

class TokenFiles : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(dir_.path() + "/" + name) << text;
    return dir_.path() + "/" + name;
  }
  std::vector<int32_t> ids_of(const std::string& path) {
    const TokenFile file(path);
    std::vector<int32_t> ids(static_cast<size_t>(file.size()));
    file.copy(0, ids);
    return ids;
  }
  TemporaryDirectory dir_;
};

TEST_F(TokenFiles, LineEndsAreTextWhereTheTokenizerKnowsThem) {
  const std::vector<std::string> lines = {"ab\n", "b\n"};
  const auto tokenizer = train_tokenizer(lines, {.kind = "char", .vocab_size = 0});
  const std::string text = write("text", "ab\n\nba"), texts[] = {text};
  const int64_t count = write_token_file(texts, *tokenizer, dir_.path() + "/ids");
  const std::vector<int32_t> ids = ids_of(dir_.path() + "/ids");
  EXPECT_EQ(count, static_cast<int64_t>(ids.size()));
  EXPECT_EQ(tokenizer->decode(ids), "ab\n\nba\n");
}

TEST_F(TokenFiles, OtherwiseTheEndMarkStandsForThem) {
  const std::vector<std::string> lines = {"one two"};
  const auto tokenizer = train_tokenizer(lines, {.kind = "word", .vocab_size = 0});
  const std::string texts[] = {write("text", "one two\ntwo\n")};
  write_token_file(texts, *tokenizer, dir_.path() + "/ids");
  const int32_t one = tokenizer->encode("one")[0], two = tokenizer->encode("two")[0];
  EXPECT_EQ(ids_of(dir_.path() + "/ids"), (std::vector<int32_t>{one, two, kEos, two, kEos}));
}

TEST_F(TokenFiles, WhatIsNoFileOfIdsSaysSo) {
  EXPECT_THAT(error_of([&] { TokenFile(write("no", "hello, this is text")); }),
              HasSubstr("is no file of ids"));
  EXPECT_THAT(error_of([&] { TokenFile(dir_.path() + "/missing"); }), HasSubstr("No such file"));
}

TEST_F(TokenFiles, WindowsAreTheSameFromAnyPosition) {
  const std::vector<std::string> lines = {"abcdefghij"};
  const auto tokenizer = train_tokenizer(lines, {.kind = "char", .vocab_size = 0});
  std::string long_text;
  for (int i = 0; i < 50; ++i) long_text += "abcdefghij";
  const std::string texts[] = {write("text", long_text)};
  write_token_file(texts, *tokenizer, dir_.path() + "/ids");
  const TokenFile file(dir_.path() + "/ids");
  const WindowOptions options{.block = 8, .rows = 3, .seed = 5};
  WindowStream all(file, 400, options);
  EXPECT_EQ(all.epoch_size(), 400 / 24);
  std::vector<int32_t> ids(static_cast<size_t>(file.size()));
  file.copy(0, ids);
  for (int i = 0; i < 40; ++i) {
    WindowStream from_here(file, 400, options, all.position());
    const Batch batch = all.next(), again = from_here.next();
    EXPECT_EQ(batch.target_in.values<int32_t>(), again.target_in.values<int32_t>());
    for (int64_t r = 0; r < 3; ++r) {
      const int64_t begin = batch.lines[static_cast<size_t>(r)];
      EXPECT_LT(begin + 8, 400);
      for (int64_t t = 0; t < 8; ++t) {
        EXPECT_EQ(batch.target_in.data<int32_t>()[r * 8 + t], ids[static_cast<size_t>(begin + t)]);
        EXPECT_EQ(batch.target_out.data<int32_t>()[r * 8 + t], ids[static_cast<size_t>(begin + t + 1)]);
      }
    }
  }
  EXPECT_EQ(all.position().epoch, 2);
  EXPECT_THAT(error_of([&] { WindowStream(file, 8, options); }), HasSubstr("a smaller block"));
}

}  // namespace
}  // namespace fovea::data
