#include "fovea/data/text_file.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/utf8.h"

namespace fovea::data {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

TextFile::TextFile(const std::string& path, std::string_view who) : who_(who), stream_(path, who) {}

bool TextFile::next(std::string& line) {
  line.clear();
  if (block_.empty()) block_ = stream_.read();
  if (block_.empty()) return false;
  ++lines_;
  while (!block_.empty()) {
    const size_t end = block_.find('\n');
    const std::string_view part = block_.substr(0, end);
    check(line.size() + part.size() <= kMaxLine, who_,
          "{}: line {} has more than {} bytes: expected text, one sentence in each line", name(),
          grouped(lines_), grouped(kMaxLine));
    line += part;
    block_.remove_prefix(part.size());
    if (end != std::string_view::npos) {
      block_.remove_prefix(1);
      break;
    }
    block_ = stream_.read();
  }
  if (line.ends_with('\r')) line.pop_back();
  check_line(line);
  if (lines_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  return true;
}

void TextFile::check_line(std::string_view line) const {
  const size_t invalid = find_invalid_utf8(line), nul = line.find('\0');
  if (nul < invalid || (lines_ == 1 && (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))))
    fail(who_,
         "{}: line {}, byte {} is {}: expected UTF-8 text; if it is UTF-16, iconv -f utf-16 -t utf-8 "
         "converts it",
         name(), grouped(lines_), std::min(nul, invalid) + 1, nul < invalid ? "a NUL" : "not UTF-8");
  if (invalid != std::string_view::npos)
    fail(who_,
         "{}: line {}, byte {} is not UTF-8 (0x{:02X}): expected UTF-8 text; iconv converts other encodings",
         name(), grouped(lines_), invalid + 1, static_cast<unsigned char>(line[invalid]));
}

void fail_unequal(std::string_view who, TextFile& longer, const TextFile& shorter) {
  std::string line;
  while (!longer.may_be_endless() && longer.next(line)) {
  }
  fail(who, "{} has {}{} lines and {} {}: they must match line by line; check the end of {}", longer.name(),
       longer.may_be_endless() ? "at least " : "", grouped(longer.lines()), shorter.name(),
       grouped(shorter.lines()), shorter.name());
}

std::vector<std::string> read_lines(const std::string& path, std::string_view who) {
  TextFile file(path, who);
  std::vector<std::string> lines;
  for (std::string line; file.next(line);) lines.push_back(line);
  return lines;
}

}  // namespace fovea::data
