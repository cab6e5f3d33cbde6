#include "fovea/data/text_file.h"

#include <algorithm>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/utf8.h"
#include "fovea/data/blanks.h"

namespace fovea::data {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Where a text that is one byte too long is cut: before its last blank, otherwise between two characters.
size_t cut_of(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && !is_blank(text[at])) --at;
  if (at > 0) return at;
  constexpr size_t kLongestCharacter = 4;
  at = text.size() - 1;
  for (size_t i = 1; i < kLongestCharacter && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; ++i)
    --at;
  return at;
}

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

bool TextFile::next_lines(std::vector<std::string>& lines, size_t most,
                          const std::function<size_t(const std::string&)>& cost, size_t budget) {
  lines.clear();
  size_t spent = 0;
  for (std::string line; lines.size() < most && spent < budget && (lines.empty() || ready());) {
    if (!next(line)) break;
    spent += cost ? cost(line) : line.size();
    lines.push_back(line);
  }
  return !lines.empty();
}

bool TextFile::next_piece(std::string& piece) {
  piece = std::exchange(rest_, {});
  const bool goes_on = !piece.empty();
  if (!goes_on) {
    if (block_.empty()) block_ = stream_.read();
    if (block_.empty()) return false;
    ++lines_;
    line_open_ = true;
  }
  while (line_open_ && piece.size() <= kMaxPiece) {
    if (block_.empty()) block_ = stream_.read();
    if (block_.empty()) {
      line_open_ = false;
      break;
    }
    const size_t end = std::min(block_.find('\n'), block_.size()),
                 taken = std::min(end, kMaxPiece + 1 - piece.size());
    piece += block_.substr(0, taken);
    block_.remove_prefix(taken);
    if (taken == end && !block_.empty()) {
      block_.remove_prefix(1);
      line_open_ = false;
    }
  }
  if (piece.size() > kMaxPiece) {
    const size_t at = cut_of(piece);
    rest_ = piece.substr(at);
    piece.resize(at);
  } else if (piece.ends_with('\r')) {
    piece.pop_back();
  }
  check_line(piece);
  if (lines_ == 1 && !goes_on && piece.starts_with(kByteOrderMark)) piece.erase(0, kByteOrderMark.size());
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
