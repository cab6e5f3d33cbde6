#include "fovea/data/pictures/read.h"

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/data/pictures/formats.h"

namespace fovea::data {
namespace {

using namespace std::literals;

constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n", kJpeg = "\xFF\xD8\xFF";
// Formats that people take for pictures, which are named in the message: how they begin.
constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
    {"GIF8"sv, "a GIF"},        {"BM"sv, "a BMP"},
    {"II*\0"sv, "a TIFF"},      {"MM\0*"sv, "a TIFF"},
    {"RIFF"sv, "a WebP"},       {"<svg"sv, "an SVG"},
    {"<?xml"sv, "an XML file"}, {"\0\0\1\0"sv, "an icon"},
    {"%PDF"sv, "a PDF"},        {"8BPS"sv, "a Photoshop file"},
    {"P5\n"sv, "a PGM"},        {"P6\n"sv, "a PPM"}};

}  // namespace

Picture parse_picture(std::span<const std::byte> bytes, const std::string& name, Alpha alpha,
                      std::string_view who) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with(kPng)) return parse_png(bytes, name, alpha, who);
  if (text.starts_with(kJpeg)) return parse_jpeg(bytes, name, who);
  check(!text.empty(), who, "{}: the file is empty: expected a PNG or JPEG picture", name);
  for (const auto& [magic, what] : kOthers)
    check(!text.starts_with(magic), who, "{}: this is {}: expected PNG or JPEG; convert it", name, what);
  check(!kPng.starts_with(text) && !kJpeg.starts_with(text), who,
        "{}: the file ends after {} bytes: it is not complete", name, text.size());
  fail(who, "{}: neither PNG nor JPEG, by its first bytes: expected a picture in one of these formats", name);
}

Picture read_picture(const std::string& path, Alpha alpha, std::string_view who) {
  const MappedFile file(path, who);
  return parse_picture(file.bytes(), path, alpha, who);
}

}  // namespace fovea::data
