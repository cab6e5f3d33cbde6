// Pictures from files: what Pillow wrote is read as Pillow reads it, and what is broken gets one line.
#include <gmock/gmock.h>
#include <zlib.h>

#include <fstream>

#include "fovea/base/file.h"
#include "fovea/data/pictures/read.h"
#include "tests/error_message.h"
#include "tests/golden_file.h"
#include "tests/temporary_directory.h"

namespace fovea::data {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const testing::GoldenFile& goldens() {
  static const testing::GoldenFile file(FOVEA_TESTS_DIR "/goldens/pictures.safetensors");
  return file;
}

std::string golden_bytes(const std::string& name) {
  const Tensor bytes = goldens().array("file/" + name);
  return {reinterpret_cast<const char*>(bytes.data<uint8_t>()), static_cast<size_t>(bytes.size())};
}

Picture parse(const std::string& bytes, Alpha alpha = Alpha::kDropped) {
  return parse_picture(std::as_bytes(std::span(bytes)), "x.png", alpha);
}
std::string complaint(const std::string& bytes) {
  return error_of([&] { parse(bytes); });
}

// The largest difference of two pictures' values; 256 where their sizes differ.
int difference(const Picture& got, const Tensor& want) {
  if (want.rank() != 3 || got.height != want.dim(0) || got.width != want.dim(1) ||
      got.channels != want.dim(2))
    return 256;
  int worst = 0;
  for (size_t i = 0; i < got.pixels.size(); ++i)
    worst = std::max(worst, std::abs(int{got.pixels[i]} - int{want.data<uint8_t>()[i]}));
  return worst;
}

class EveryPictureFile : public ::testing::TestWithParam<std::string> {};
std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  for (const std::string& name : goldens().names("file/")) names.push_back(name.substr(5));
  return names;
}
INSTANTIATE_TEST_SUITE_P(Pillows, EveryPictureFile, ::testing::ValuesIn(golden_files()),
                         [](const auto& given) { return given.param; });

TEST_P(EveryPictureFile, HoldsThePixelsThatPillowReads) {
  const Picture picture = parse(golden_bytes(GetParam()));
  EXPECT_EQ(picture.channels,
            GetParam().find("grey") == std::string::npos && GetParam() != "png_1_bit" ? 3 : 1);
  // libjpeg's versions may round differently.
  EXPECT_LE(difference(as_rgb(picture), goldens().array("rgb/" + GetParam())),
            GetParam().starts_with("jpeg") ? 1 : 0);
}

TEST_P(EveryPictureFile, LiesOverWhiteAsPillowComposesIt) {
  const std::string bytes = golden_bytes(GetParam());
  const bool transparent = goldens().has("white/" + GetParam());
  const Tensor want = goldens().array((transparent ? "white/" : "rgb/") + GetParam());
  EXPECT_LE(difference(as_rgb(parse(bytes, Alpha::kOnWhite)), want), 1);
  if (transparent) {
    EXPECT_NE(parse(bytes, Alpha::kOnWhite), parse(bytes, Alpha::kOnBlack));
  }
}

TEST_P(EveryPictureFile, CutAtAnyPointIsRefusedInOneLine) {
  const std::string bytes = golden_bytes(GetParam());
  std::set<size_t> lengths;
  for (size_t percent = 0; percent < 100; ++percent) lengths.insert(bytes.size() * percent / 100);
  for (size_t last = 1; last <= std::min<size_t>(40, bytes.size()); ++last)
    lengths.insert(bytes.size() - last);
  for (const size_t n : lengths) {
    const std::string message = complaint(bytes.substr(0, n));
    EXPECT_THAT(message, StartsWith("[pictures] x.png: ")) << n << " of " << bytes.size() << " bytes";
    EXPECT_THAT(message, Not(HasSubstr("\n")));
  }
}

TEST_P(EveryPictureFile, WithAnyByteChangedIsAPictureOrOneLine) {
  const std::string bytes = golden_bytes(GetParam());
  for (size_t at = 0; at < bytes.size(); ++at)
    for (const int mask : {0x01, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ mask);
      EXPECT_THAT(complaint(changed), AnyOf("no error", StartsWith("[pictures] x.png: "))) << at;
    }
}

// A chunk of a PNG file.
std::string chunk(const std::string& name, const std::string& body) {
  const auto number = [](uint64_t n) {
    std::string bytes;
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(n >> shift & 255);
    return bytes;
  };
  const std::string named = name + body;
  return number(body.size()) + named +
         number(crc32(0, reinterpret_cast<const Bytef*>(named.data()), static_cast<uInt>(named.size())));
}
std::string png_of_size(uint32_t width, uint32_t height) {
  std::string header;
  for (const uint32_t n : {width, height})
    for (const int shift : {24, 16, 8, 0}) header += static_cast<char>(n >> shift & 255);
  header += std::string("\x08\x02\x00\x00\x00", 5);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", "x") + chunk("IEND", "");
}

TEST(PictureFiles, ThatClaimToBeHugeAreRefusedBeforeMemoryIsTaken) {
  EXPECT_EQ(complaint(png_of_size(60000, 60000)),
            "[pictures] x.png: a picture of 60000 x 60000 pixels: expected 65,535 or fewer on a side and 100 "
            "million in all; make it smaller");
  EXPECT_THAT(complaint(png_of_size(0x7FFFFFFF, 1)), HasSubstr("2147483647 x 1 pixels"));
  EXPECT_THAT(complaint(png_of_size(0xFFFFFFFF, 0xFFFFFFFF)), HasSubstr("pixels: expected"));
  // Few bytes cannot hold so many pixels.
  EXPECT_THAT(complaint(png_of_size(9999, 9999)), HasSubstr("the file is not complete"));
  std::string jpeg = golden_bytes("jpeg_rgb");
  const size_t frame = jpeg.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  for (const size_t at : {5, 7}) jpeg.replace(frame + at, 2, "\xEA\x60");  // height and width
  EXPECT_THAT(complaint(jpeg), HasSubstr("a picture of 60000 x 60000 pixels"));
}

TEST(PictureFiles, WithoutPixelsAreRefused) {
  EXPECT_EQ(complaint(png_of_size(0, 5)),
            "[pictures] x.png: a picture of 0 x 5 pixels: expected at least 1 x 1");
  EXPECT_THAT(complaint(png_of_size(5, 0)), HasSubstr("5 x 0 pixels"));
  std::string jpeg = golden_bytes("jpeg_grey");
  const size_t frame = jpeg.find("\xFF\xC0");
  jpeg.replace(frame + 7, 2, std::string(2, '\0'));
  EXPECT_EQ(complaint(jpeg), "[pictures] x.png: a picture without pixels: expected at least 1 x 1");
}

TEST(PictureFiles, OfOtherFormatsAreNamed) {
  EXPECT_EQ(complaint(""), "[pictures] x.png: the file is empty: expected a PNG or JPEG picture");
  EXPECT_EQ(complaint("GIF89a....."), "[pictures] x.png: this is a GIF: expected PNG or JPEG; convert it");
  EXPECT_THAT(complaint("<svg xmlns="), HasSubstr("this is an SVG"));
  EXPECT_THAT(complaint("hello"), HasSubstr("neither PNG nor JPEG"));
  EXPECT_THAT(complaint("\x89PN"), HasSubstr("the file ends after 3 bytes"));
}

TEST(PictureFiles, AreReadFromDiskWhateverTheirEnding) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "a.jpeg") << golden_bytes("png_rgb");
  EXPECT_EQ(read_picture(directory / "a.jpeg"), parse(golden_bytes("png_rgb")));
  EXPECT_THAT(error_of([&] { read_picture(directory / "b.png", Alpha::kDropped, "caption"); }),
              StartsWith("[caption] " + directory / "b.png: No such file"));
  EXPECT_THAT(error_of([&] { read_picture(directory.path()); }), StartsWith("[pictures] "));
}

TEST(WrittenPng, IsReadBackAndAlwaysTheSame) {
  for (const int64_t channels : {1, 3}) {
    Picture picture(7, 300, channels);
    for (size_t i = 0; i < picture.pixels.size(); ++i) picture.pixels[i] = static_cast<uint8_t>(i * i >> 3);
    const std::string bytes = to_png(picture);
    EXPECT_EQ(parse(bytes), picture);
    EXPECT_EQ(to_png(picture), bytes);
  }
}

TEST(WrittenPng, NeedsPixelsAndOneOrThreeChannels) {
  EXPECT_THAT(error_of([] { to_png(Picture(0, 3, 1)); }), HasSubstr("expected at least 1 x 1"));
  EXPECT_THAT(error_of([] { to_png(Picture(3, 3, 2)); }), HasSubstr("2 channels"));
}

}  // namespace
}  // namespace fovea::data
