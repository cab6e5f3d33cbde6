#include "fovea/data/pictures/read.h"

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/data/pictures/formats.h"

namespace fovea::data {
namespace {

struct Known {
  std::string_view magic, what;
};
constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n", kJpeg = "\xFF\xD8\xFF";
// Formats that people take for pictures, which are named in the message.
constexpr Known kOthers[] = {{"GIF8", "a GIF"},
                             {"BM", "a BMP"},
                             {"II*", "a TIFF"},
                             {"MM\0*", "a TIFF"},
                             {"RIFF", "a WebP"},
                             {"<svg", "an SVG"},
                             {"<?xml", "an XML file"},
                             {"%PDF", "a PDF"},
                             {"\x00\x00\x01\x00", "an icon"},
                             {"8BPS", "a Photoshop file"},
                             {"P6", "a PPM"},
                             {"P5", "a PGM"}};

}  // namespace

Picture parse_picture(std::span<const std::byte> bytes, const std::string& name, Alpha alpha,
                      std::string_view who) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with(kPng)) return parse_png(bytes, name, alpha, who);
  if (text.starts_with(kJpeg)) return parse_jpeg(bytes, name, who);
  check(!text.empty(), who, "{}: the file is empty: expected a PNG or JPEG picture", name);
  for (const Known& other : kOthers)
    check(!text.starts_with(other.magic), who, "{}: this is {}: expected PNG or JPEG; convert it", name,
          other.what);
  check(!kPng.starts_with(text) && !kJpeg.starts_with(text), who,
        "{}: the file ends after {} bytes: it is not complete", name, text.size());
  fail(who, "{}: neither PNG nor JPEG, by its first bytes: expected a picture in one of these formats", name);
}

Picture read_picture(const std::string& path, Alpha alpha, std::string_view who) {
  const MappedFile file(path, who);
  return parse_picture(file.bytes(), path, alpha, who);
}

}  // namespace fovea::data
