#include <zlib.h>

#include <cstring>

#include "fovea/data/pictures/folder.h"
#include "fovea/data/pictures/idx.h"
#include "fovea/data/pictures/read.h"
#include "fovea/data/pictures/scene.h"
#include "fovea/tensor/safetensors.h"
#include "fuzz/reader.h"

namespace fovea::fuzz {
namespace {

// The files of tools/goldens_pictures.py whose names begin like this.
std::vector<std::string> golden_files(const std::string& begin) {
  const Safetensors file = Safetensors::open(FOVEA_TESTS_DIR "/goldens/pictures.safetensors");
  std::vector<std::string> files;
  for (const Safetensors::Entry& entry : file.entries()) {
    if (!entry.name.starts_with("file/" + begin)) continue;
    const Tensor bytes = file.read(entry.name);
    files.emplace_back(reinterpret_cast<const char*>(bytes.data<uint8_t>()),
                       static_cast<size_t>(bytes.size()));
  }
  return files;
}

void parse(const std::string& bytes) {
  data::parse_picture(std::as_bytes(std::span(bytes)), "input", data::Alpha::kOnWhite);
}

// Checksums that fit the chunks: without them hardly an input would come past the first one.
std::string with_checksums(std::string png) {
  constexpr size_t kSignature = 8, kFrame = 12;
  const auto* bytes = reinterpret_cast<const Bytef*>(png.data());
  for (size_t at = kSignature; at + kFrame <= png.size();) {
    uint32_t length = 0;
    for (size_t i = 0; i < 4; ++i) length = length << 8 | bytes[at + i];
    if (length > png.size() - at - kFrame) break;
    const auto sum = static_cast<uint32_t>(crc32(0, bytes + at + 4, length + 4));
    for (size_t i = 0; i < 4; ++i) png[at + 8 + length + i] = static_cast<char>(sum >> (24 - 8 * i) & 255);
    at += kFrame + length;
  }
  return png;
}

}  // namespace

std::vector<Reader> picture_readers() {
  std::vector<Reader> list;
  list.push_back({"png", golden_files("png"), parse});
  list.push_back({"png with checksums", golden_files("png"),
                  [](const std::string& bytes) { parse(with_checksums(bytes)); }});
  list.push_back({"jpeg", golden_files("jpeg"), parse});
  const std::string idx(
      "\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02"
      "abcdefgh",
      24);
  list.push_back(directory_file("idx", "x.idx", {{"x.idx", idx}}, [](const std::string& directory) {
    data::read_idx(directory + "/x.idx", 3);
  }));
  const Files files = {{"a.png", data::to_png(data::Picture(2, 3, 1, 7))},
                       {"table.tsv", "a.png\ta cat\na.png\ttwo\n"}};
  list.push_back(directory_file("picture table", "table.tsv", files, [](const std::string& directory) {
    const data::PictureFolder folder(directory, directory + "/table.tsv");
    for (int64_t i = 0; i < folder.size(); ++i) folder.picture(i);
  }));
  list.push_back({"scene sentence",
                  {"a small red circle left of a large blue square which is above a small green star",
                   "above a green star is a large blue square and left of it is a small circle ."},
                  [](const std::string& line) { data::parse_scene(line); }});
  return list;
}

}  // namespace fovea::fuzz
