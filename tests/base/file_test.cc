#include "fovea/base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "tests/error_message.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// A directory of its own for each test, removed afterwards.
class File : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "fovea-file-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(dir_), {})); }

  fs::path dir_;
};

TEST_F(File, WhatIsWrittenIsRead) {
  const std::string bytes("a\0b\n", 4);
  write_atomically(path("a"), bytes);
  EXPECT_EQ(read_file(path("a")), bytes);
  EXPECT_EQ(MappedFile(path("a")).bytes().size(), 4u);
  write_atomically(path("a"), "");
  EXPECT_EQ(read_file(path("a")), "");
  EXPECT_EQ(files(), 1u);
}

TEST_F(File, MissingFileAndDirectoryAndLimitAreNamed) {
  EXPECT_EQ(error_of([&] { MappedFile(path("none"), "npy"); }),
            "[npy] " + path("none") + ": No such file or directory");
  EXPECT_EQ(error_of([&] { read_file(dir_); }), "[file] " + dir_.string() + ": Is a directory");
  EXPECT_EQ(error_of([&] { MappedFile(""); }), "[file] '': No such file or directory");
  EXPECT_EQ(error_of([&] { write_atomically(dir_, "x"); }), "[file] " + dir_.string() + ": Is a directory");
  EXPECT_EQ(error_of([&] { write_atomically(path("no/such"), "x"); }),
            "[file] " + path("no/such") + ": No such file or directory");
  write_atomically(path("a"), "12345");
  EXPECT_EQ(error_of([&] { read_file(path("a"), 4); }),
            "[file] " + path("a") + ": 5 bytes, more than the limit of 4");
}

TEST_F(File, WithoutCommitTheOldFileStaysAndNothingElseIsLeft) {
  write_atomically(path("a"), "old");
  {
    StagedFile file(path("a"));
    file.write("new");
    EXPECT_EQ(read_file(path("a")), "old");
    EXPECT_EQ(files(), 1u) << "a kill would leave it";
  }
  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(File, PermissionsAndLinksAreKept) {
  write_atomically(path("a"), "old");
  ASSERT_EQ(chmod(path("a").c_str(), 0640), 0);
  fs::create_symlink(path("a"), path("link"));
  write_atomically(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("a")), "new");
  struct stat info {};
  ASSERT_EQ(stat(path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
}

TEST_F(File, PipesAndDevicesAreReadAndWrittenDirectly) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_file(path("pipe")); });
  const std::string large(200'000, 'x');
  write_atomically(path("pipe"), large);
  reader.join();
  EXPECT_EQ(got, large);
  EXPECT_EQ(files(), 1u);
  write_atomically("/dev/null", "x");
  EXPECT_EQ(read_file("/dev/null"), "");
  EXPECT_THAT(error_of([&] { write_atomically("/dev/full", "x"); }), HasSubstr("/dev/full: No space left"));
}

TEST_F(File, AnOpenDescriptorIsWrittenThrough) {
  std::FILE* file = std::fopen(path("log").c_str(), "a");
  ASSERT_NE(file, nullptr);
  const std::string name = "/dev/fd/" + std::to_string(fileno(file));
  write_atomically(name, "one ");
  write_atomically(name, "two");
  std::fclose(file);
  EXPECT_EQ(read_file(path("log")), "one two");
  EXPECT_THAT(error_of([&] { write_atomically("/dev/fd/9999", "x"); }), HasSubstr("Bad file descriptor"));
}

TEST_F(File, PendingFilesAppearTogetherOrNotAtAll) {
  write_atomically(path("a"), "old");
  {
    PendingFiles files;
    files.add(path("a")).write("new");
    EXPECT_THROW(files.add(path("no/such")), Error);
    EXPECT_EQ(error_of([&] { files.add(path("a")); }), "[file] " + path("a") + ": named for two outputs");
  }
  EXPECT_EQ(read_file(path("a")), "old");
  PendingFiles pending;
  pending.add(path("a")).write("new");
  pending.add(path("b")).write("b");
  EXPECT_FALSE(fs::exists(path("b")));
  pending.commit();
  EXPECT_EQ(read_file(path("a")), "new");
  EXPECT_EQ(read_file(path("b")), "b");
  EXPECT_EQ(files(), 2u);
}

TEST(Nearest, OrdersNamesByEditDistance) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_THAT(nearest("aditive", {"dot", "general", "additive"}, 2), ElementsAre("additive", "dot"));
  EXPECT_TRUE(nearest("x", {}, 3).empty());
}

TEST(Quote, KeepsAMessageOnOneShortLine) {
  EXPECT_EQ(quote("a\nb\x7f"), "'a?b?'");
  EXPECT_EQ(quote(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
  EXPECT_EQ(quote(std::string(59, 'x') + "가나"), "'" + std::string(59, 'x') + "...'");
}

}  // namespace
}  // namespace fovea
