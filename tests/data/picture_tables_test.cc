// IDX files, and directories of pictures with a table.
#include <gmock/gmock.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "fovea/data/pictures/folder.h"
#include "fovea/data/pictures/idx.h"
#include "tests/error_message.h"
#include "tests/temporary_directory.h"

namespace fovea::data {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string number(uint32_t n) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(n >> shift & 255);
  return bytes;
}
std::string idx(std::initializer_list<uint32_t> shape, const std::string& values, char type = 8) {
  std::string bytes = {0, 0, type, static_cast<char>(shape.size())};
  for (const uint32_t n : shape) bytes += number(n);
  return bytes + values;
}

class IdxFiles : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& bytes) const {
    std::ofstream(directory_ / name) << bytes;
    return directory_ / name;
  }
  std::string complaint(const std::string& bytes, int rank = 3) const {
    const std::string path = put("x", bytes);
    const std::string message = error_of([&] { read_idx(path, rank); });
    EXPECT_THAT(message, StartsWith("[pictures] " + path + ": "));
    return message;
  }
  TemporaryDirectory directory_;
};

TEST_F(IdxFiles, AreReadPlainAndGzipped) {
  const std::string bytes = idx({2, 2, 3}, "abcdefghijkl");
  const std::string labels = put("labels", idx({2}, "\x07\x03"));
  const std::string packed = directory_ / "images.gz";
  gzFile file = gzopen(packed.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  for (const std::string& images : {put("images", bytes), packed}) {
    const IdxPictures all = read_idx_pictures(images, labels);
    EXPECT_EQ(all.size(), 2);
    EXPECT_EQ(all.label(0), 7);
    EXPECT_EQ(all.classes(), 8);
    const Picture second = all.picture(1);
    EXPECT_EQ(second.height, 2);
    EXPECT_EQ(second.width, 3);
    EXPECT_EQ(*second.at(1, 2), 'l');
  }
}

TEST_F(IdxFiles, ThatAreDamagedAreRefusedInOneLine) {
  EXPECT_THAT(complaint(""), HasSubstr("no IDX file"));
  EXPECT_THAT(complaint("hello, this is text"), HasSubstr("no IDX file"));
  EXPECT_THAT(complaint(idx({1, 1, 1}, "a", 13)), HasSubstr("elements of type 13"));
  EXPECT_THAT(complaint(idx({1}, "a")), HasSubstr("1 dimensions: expected 3"));
  EXPECT_THAT(complaint(idx({1, 1, 1}, "a"), 1), HasSubstr("labels have one"));
  EXPECT_THAT(complaint(idx({2, 2, 2}, "abc")), HasSubstr("3 bytes of elements where the header has 8"));
  EXPECT_THAT(complaint(idx({1, 2, 2}, "abcde")), HasSubstr("expected the end"));
  EXPECT_THAT(complaint(idx({0, 2, 2}, "")), HasSubstr("a side of 0"));
  EXPECT_THAT(complaint(idx({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "a")), HasSubstr("4,294,967,296 bytes"));
  EXPECT_THAT(complaint(idx({1, 1, 1}, "a").substr(0, 9)), HasSubstr("within its header"));
  EXPECT_THAT(complaint("\x1F\x8B\x08garbage"), HasSubstr("gzip"));
}

TEST_F(IdxFiles, MustHaveAsManyLabelsAsPictures) {
  const std::string images = put("images", idx({2, 1, 1}, "ab")), labels = put("labels", idx({3}, "abc"));
  EXPECT_EQ(error_of([&] { read_idx_pictures(images, labels); }),
            "[pictures] " + images + " has 2 pictures and " + labels + " 3 labels: they must match");
}

class PictureTable : public ::testing::Test {
 protected:
  PictureTable() {
    std::filesystem::create_directory(directory_ / "more");
    for (const std::string name : {"a.png", "b.png", "more/c.PNG"})
      std::ofstream(directory_ / name) << to_png(Picture(2, 3, 1, static_cast<uint8_t>(name[0])));
    std::ofstream(directory_ / "broken.jpg") << "\xFF\xD8\xFF nothing";
  }
  std::string table(const std::string& lines) const {
    std::ofstream(directory_ / "table.tsv") << lines;
    return directory_ / "table.tsv";
  }
  std::string complaint(const std::string& lines) const {
    const std::string path = table(lines);
    return error_of([&] { PictureFolder(directory_.path(), path); });
  }
  TemporaryDirectory directory_;
};

TEST_F(PictureTable, NamesPicturesAndTheirTexts) {
  const PictureFolder folder(directory_.path(), table("a.png\ta cat\nmore/c.PNG\ta dog\na.png\ttwo cats\n"));
  EXPECT_EQ(folder.size(), 3);
  EXPECT_EQ(folder.row(1).text, "a dog");
  EXPECT_EQ(*folder.picture(0).at(1, 2), 'a');
  EXPECT_EQ(*folder.picture(1).at(1, 2), 'm');
  EXPECT_THAT(folder.labels(), ElementsAre("a cat", "a dog", "two cats"));
}

TEST_F(PictureTable, ReadsPicturesOnlyWhenTheyAreAskedFor) {
  const PictureFolder folder(directory_.path(), table("broken.jpg\tnothing\n"));
  EXPECT_THAT(error_of([&] { folder.picture(0); }), StartsWith("[pictures] " + directory_ / "broken.jpg: "));
}

TEST_F(PictureTable, WithAFaultIsRefusedInOneLineWithItsNumber) {
  const std::string who = "[pictures] " + directory_ / "table.tsv: ";
  EXPECT_EQ(complaint("a.png\tx\nlost.png\ty\n"),
            who + "line 2 names 'lost.png', and " + directory_.path() + " has no such file");
  EXPECT_THAT(complaint("a.png\n"), HasSubstr("line 1 has 1 columns: expected two"));
  EXPECT_THAT(complaint("a.png\tx\ty\n"), HasSubstr("line 1 has 3 columns"));
  EXPECT_THAT(complaint("a.png\tx\n\nb.png\ty\n"), HasSubstr("line 2 has 1 columns"));
  EXPECT_EQ(complaint("a.png\t \n"), who + "line 1 has no text after its tab");
  EXPECT_EQ(complaint("\ta cat\n"), who + "line 1 names no file before its tab");
  EXPECT_THAT(complaint(""), HasSubstr("no lines"));
  EXPECT_THAT(complaint("a.png\t\xFF\n"), HasSubstr("not UTF-8"));
  EXPECT_THAT(complaint("more\tfolder\n"), HasSubstr("no such file"));
  for (const std::string out : {"../a.png", "/etc/passwd", "more/../../x.png"})
    EXPECT_EQ(complaint(out + "\tx\n"),
              who + "line 1 names '" + out + "': expected a file within " + directory_.path());
  EXPECT_THAT(error_of([&] { PictureFolder(directory_ / "lost", table("a.png\tx\n")); }),
              EndsWith("lost: not a directory: expected one with pictures"));
}

TEST_F(PictureTable, TellsWhichPicturesHaveNoText) {
  const PictureFolder one(directory_.path(), table("a.png\tx\n"));
  const PictureFolder two(directory_.path(), table("./more/c.PNG\ty\n"));
  const PictureFolder* both[] = {&one, &two};
  EXPECT_THAT(pictures_without_rows(directory_.path(), both), ElementsAre("b.png", "broken.jpg"));
  EXPECT_THAT(error_of([&] { pictures_without_rows(directory_ / "lost", both); }), HasSubstr("No such file"));
}

}  // namespace
}  // namespace fovea::data
