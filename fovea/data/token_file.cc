#include "fovea/data/token_file.h"

#include <cstring>

#include "fovea/base/crc32c.h"
#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/data/text_file.h"

namespace fovea::data {
namespace {

constexpr std::string_view kMagic = "fovea ids 1    ";  // 15 bytes, and the width
constexpr int64_t kHeader = 16;

}  // namespace

bool keeps_line_ends(const Tokenizer& tokenizer) {
  const std::vector<int32_t> ids = tokenizer.encode("\n");
  return ids.size() == 1 && ids[0] != tokenizer.special_ids().unk && tokenizer.decode(ids) == "\n";
}

int64_t write_token_file(std::span<const std::string> texts, const Tokenizer& tokenizer,
                         const std::string& path) {
  StagedFile file(path);
  const bool narrow = tokenizer.size() <= 1 << 16, line_ends = keeps_line_ends(tokenizer);
  const int32_t end = tokenizer.special_ids().eos;
  std::string header(kMagic);
  header += static_cast<char>(narrow ? 2 : 4);
  file.write(header);
  std::string bytes;
  int64_t count = 0;
  const auto put = [&](int32_t id) {
    const auto value = static_cast<uint32_t>(id);
    for (int i = 0; i < (narrow ? 2 : 4); ++i) bytes += static_cast<char>(value >> (8 * i));
    ++count;
  };
  for (const std::string& path_of_text : texts) {
    if (count > 0 && line_ends && end >= 0) put(end);
    TextFile text(path_of_text);
    for (std::string line; text.next_piece(line);) {
      if (line_ends && text.ended()) line += '\n';
      for (const int32_t id : tokenizer.encode(line)) put(id);
      if (!line_ends && text.ended() && end >= 0) put(end);
      if (bytes.size() > size_t{1} << 20) {
        file.write(bytes);
        bytes.clear();
      }
    }
  }
  file.write(bytes);
  file.commit();
  return count;
}

TokenFile::TokenFile(const std::string& path) : file_(path) {
  const auto bytes = file_.bytes();
  check(bytes.size() >= static_cast<size_t>(kHeader) &&
            std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0,
        "data", "{} is no file of ids", path);
  width_ = static_cast<int64_t>(bytes[kMagic.size()]);
  check(width_ == 2 || width_ == 4, "data", "{}: ids of {} bytes", path, width_);
  count_ = (static_cast<int64_t>(bytes.size()) - kHeader) / width_;
}

void TokenFile::copy(int64_t begin, std::span<int32_t> out) const {
  const auto n = static_cast<int64_t>(out.size());
  check(begin >= 0 && begin + n <= count_, "data", "ids {} to {} of {}", begin, begin + n, grouped(count_));
  const auto* from = reinterpret_cast<const unsigned char*>(file_.bytes().data()) + kHeader + begin * width_;
  for (int32_t& id : out) {
    uint32_t value = 0;
    for (int64_t i = 0; i < width_; ++i) value |= static_cast<uint32_t>(*from++) << (8 * i);
    id = static_cast<int32_t>(value);
  }
}

uint64_t TokenFile::fingerprint() const {
  const auto bytes = file_.bytes();
  return (static_cast<uint64_t>(count_) << 32) ^
         crc32c(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace fovea::data
