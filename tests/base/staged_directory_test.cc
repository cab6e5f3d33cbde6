#include "fovea/base/staged_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "fovea/base/crc32c.h"
#include "fovea/base/directory_lock.h"
#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "tests/error_message.h"
#include "tests/faulty_syscalls.h"
#include "tests/temporary_directory.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::faults;
using ::testing::HasSubstr;

class Directory : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { faults().exchange_supported = true; }
  void TearDown() override { faults().exchange_supported = true; }
  // Two files that belong together.
  void save(int version) const {
    StagedDirectory directory(path_, "checkpoint");
    directory.add("a", fmt::format("version {}", version));
    directory.add("b", [&](const ByteSink& sink) {
      const std::string piece = fmt::format("{} ", version);
      for (int i = 0; i < 3; ++i) sink(std::as_bytes(std::span(piece.data(), piece.size())));
    });
    directory.commit();
  }
  // Which version there is; 0 for none. Fails where it is not whole.
  int saved() const {
    if (!fs::exists(path_)) return 0;
    verify_directory(path_, "checkpoint");
    const std::string a = read_file(path_ + "/a"), b = read_file(path_ + "/b");
    const int version = std::stoi(a.substr(8));
    EXPECT_EQ(b, fmt::format("{0} {0} {0} ", version));
    return version;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(root_)) found.push_back(entry.path().filename());
    return found;
  }

  TemporaryDirectory dir_;
  std::string root_ = dir_.path(), path_ = dir_ / "last";
};

TEST(Crc32c, HasTheKnownValues) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
}

TEST(Crc32c, OfPartsIsThatOfTheWhole) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += static_cast<char>(i * 37);
  for (size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(crc32c(text.substr(cut), crc32c(text.substr(0, cut))), crc32c(text)) << cut;
}

TEST_F(Directory, HoldsWhatWasCommittedAndNothingBefore) {
  {
    StagedDirectory directory(path_, "checkpoint");
    directory.add("a", "1");
    EXPECT_FALSE(fs::exists(path_));
  }
  EXPECT_THAT(names(), ::testing::IsEmpty());
  for (int version : {1, 2, 3}) {
    save(version);
    EXPECT_EQ(saved(), version);
    EXPECT_THAT(names(), ::testing::ElementsAre("last"));
  }
  EXPECT_EQ(read_file(path_ + "/manifest.json"),
            "{\n \"files\": {\n  \"a\": {\n   \"bytes\": 9,\n   \"crc32c\": \"" +
                fmt::format("{:08x}", crc32c("version 3")) +
                "\"\n  },\n  \"b\": {\n   \"bytes\": 6,\n   \"crc32c\": \"" +
                fmt::format("{:08x}", crc32c("3 3 3 ")) + "\"\n  }\n },\n \"version\": 1\n}\n");
}

TEST_F(Directory, DamageIsNamed) {
  save(1);
  const auto verify = [&] { return error_of([&] { verify_directory(path_ + "/", "checkpoint"); }); };
  EXPECT_EQ(verify(), "no error");
  std::ofstream(path_ + "/note") << "not ours";
  EXPECT_EQ(verify(), "no error");
  std::ofstream(path_ + "/a") << "version 2";
  EXPECT_THAT(verify(), HasSubstr("/a: its checksum is "));
  std::ofstream(path_ + "/a") << "ver";
  EXPECT_THAT(verify(), HasSubstr("/a: 3 bytes, and 9 were saved: the file was cut or changed"));
  fs::remove(path_ + "/a");
  EXPECT_THAT(verify(), HasSubstr("/a: No such file"));
  std::ofstream(path_ + "/manifest.json") << "";
  EXPECT_THAT(verify(), HasSubstr("manifest.json: no valid JSON"));
  for (const char* text : {"[]", "{\"version\": 1}", "{\"version\": 2, \"files\": {}}",
                           "{\"version\": 1, \"files\": {\"a\": 3}}",
                           "{\"version\": 1, \"files\": {\"../a\": {\"bytes\": 1, \"crc32c\": \"0\"}}}"}) {
    std::ofstream(path_ + "/manifest.json") << text;
    EXPECT_THAT(verify(), HasSubstr("manifest.json: not a manifest of this program")) << text;
  }
  fs::remove(path_ + "/manifest.json");
  EXPECT_THAT(verify(), HasSubstr("last/: there is no manifest.json, so it was never completely written"));
}

TEST_F(Directory, NamesThatLeadElsewhereAreErrors) {
  StagedDirectory directory(path_, "checkpoint");
  for (const char* name : {"", ".", "..", "a/b", "/a", "manifest.json"})
    EXPECT_THAT(error_of([&] { directory.add(name, "x"); }), HasSubstr("cannot be the name")) << name;
  directory.add("a", "x");
  EXPECT_THAT(error_of([&] { directory.add("a", "x"); }), HasSubstr("two files are named 'a'"));
  directory.commit();
  EXPECT_THAT(error_of([&] { directory.add("b", "x"); }), HasSubstr("after the directory was committed"));
  EXPECT_THAT(error_of([&] { directory.commit(); }), HasSubstr("committed twice"));
}

TEST_F(Directory, AFileInItsPlaceIsLeftAlone) {
  std::ofstream(path_) << "mine";
  EXPECT_THAT(error_of([&] { save(1); }), HasSubstr("/last: Not a directory"));
  EXPECT_EQ(read_file(path_), "mine");
}

TEST_F(Directory, FilesOfOthersInItsPlaceAreLeftAlone) {
  fs::create_directory(path_);
  save(1);  // an empty one is nobody's
  fs::remove_all(path_);
  fs::create_directory(path_);
  std::ofstream(path_ + "/thesis") << "mine";
  EXPECT_THAT(error_of([&] { save(1); }), HasSubstr("/last: it holds other files, which would be lost"));
  EXPECT_EQ(read_file(path_ + "/thesis"), "mine");
}

// Parameter: whether directories can change places.
INSTANTIATE_TEST_SUITE_P(FileSystem, Directory, ::testing::Bool());

TEST_P(Directory, ACallThatFailsLeavesTheOldOrTheNewOne) {
  faults().exchange_supported = GetParam();
  int64_t calls = 0;
  for (int first : {0, 1})
    for (int64_t at = 0;; ++at) {
      SCOPED_TRACE(fmt::format("call {} of a save over version {}", at, first));
      fs::remove_all(path_);
      if (first > 0) save(first);
      const std::string message =
          error_of([&] { faults().hit([&] { save(first + 1); }, {.at = at, .error = ENOSPC}); });
      if (!faults().was_hit()) {
        EXPECT_EQ(message, "no error");
        break;
      }
      ++calls;
      if (message != "no error") {
        EXPECT_THAT(message, HasSubstr("[checkpoint] " + root_));
        EXPECT_THAT(message, HasSubstr("No space left on device"));
      }
      const int version = saved();
      EXPECT_TRUE(version == first || version == first + 1) << version;
      if (message == "no error") {
        EXPECT_EQ(version, first + 1);
      }
      recover_directory(path_);
      EXPECT_EQ(saved(), version);
      EXPECT_LE(names().size(), 1u);
      save(first + 2);
      EXPECT_EQ(saved(), first + 2);
    }
  EXPECT_GT(calls, 20);
}

TEST_P(Directory, AKillAtAnyCallLeavesTheOldOrTheNewOne) {
  faults().exchange_supported = GetParam();
  bool old_seen = false, new_seen = false;
  for (int first : {0, 1})
    for (int64_t at = 0;; ++at) {
      SCOPED_TRACE(fmt::format("call {} of a save over version {}", at, first));
      fs::remove_all(path_);
      if (first > 0) save(first);
      const pid_t child = fork();
      if (child == 0) {
        faults().hit([&] { save(first + 1); }, {.at = at, .error = 0});
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      ASSERT_TRUE(WIFEXITED(status));
      if (WEXITSTATUS(status) == 0) break;
      ASSERT_EQ(WEXITSTATUS(status), 99);
      if (GetParam() && first > 0) {
        EXPECT_NE(saved(), 0);  // there without any recovery
      }
      recover_directory(path_);
      const int version = saved();
      EXPECT_TRUE(version == first || version == first + 1) << version;
      (version == first ? old_seen : new_seen) = true;
      EXPECT_LE(names().size(), 1u);
    }
  EXPECT_TRUE(old_seen && new_seen);
}

TEST_F(Directory, OneProcessAtATimeHoldsTheLock) {
  const std::string dir = root_ + "/runs/one";
  {
    const DirectoryLock lock(dir, "train");
    EXPECT_THAT(error_of([&] { DirectoryLock(dir, "train"); }),
                HasSubstr("[train] " + dir + ": another process is writing to it"));
  }
  EXPECT_EQ(error_of([&] { DirectoryLock(dir, "train"); }), "no error");
  std::ofstream(root_ + "/file") << "x";
  EXPECT_THAT(error_of([&] { DirectoryLock(root_ + "/file/run", "train"); }), HasSubstr("Not a directory"));
}

TEST_F(Directory, OneThatTheLockMadeAndThatStayedEmptyGoesAgain) {
  const std::string made = root_ + "/made", filled = root_ + "/filled", older = root_ + "/older";
  fs::create_directory(older);
  for (const std::string& dir : {made, filled, older}) {
    const DirectoryLock lock(dir);
    if (dir == filled) std::ofstream(dir + "/file") << "x";
  }
  EXPECT_FALSE(fs::exists(made));
  EXPECT_TRUE(fs::exists(filled + "/file"));
  EXPECT_TRUE(fs::exists(older));
}

}  // namespace
}  // namespace fovea
