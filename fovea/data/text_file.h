// The lines of a text file, one at a time: UTF-8, plain or gzip, from a path or standard input.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/byte_stream.h"

namespace fovea::data {

// Lines end in \n or \r\n, the last one also in nothing. A byte order mark at the beginning is skipped. What is no text
// throws [who] PATH: line N, byte N ...: invalid UTF-8, a NUL, a line of more than kMaxLine bytes.
class TextFile {
 public:
  static constexpr size_t kMaxLine = size_t{1} << 20, kMaxPiece = size_t{1} << 16;

  // "-" is standard input.
  explicit TextFile(const std::string& path, std::string_view who = "data");

  // The next line, without its end; false after the last one.
  bool next(std::string& line);
  // For text whose lines may be of any length: the next line, or as much of it as kMaxPiece bytes hold, cut before a blank where there is
  // one. ended(): it was the end of its line.
  bool next_piece(std::string& piece);
  bool ended() const { return rest_.empty(); }
  // next() would not wait: more of the text is there, or its end. Whoever types a line, and waits for what becomes of it,
  // has not ended the text.
  bool ready() const { return block_.find('\n') != std::string_view::npos || stream_.ready(); }
  // As many lines as can be had without waiting, at least one: all that fit into a batch where text is plentiful, and the one that was
  // typed where a person waits for an answer. No more than `most`, and none after so many that their costs reach `budget`. False at the end.
  bool next_lines(std::vector<std::string>& lines, size_t most,
                  const std::function<size_t(const std::string&)>& cost = {},
                  size_t budget = size_t{1} << 24);
  // How many lines next() gave: the number of the newest, from 1.
  int64_t lines() const { return lines_; }

  const std::string& name() const { return stream_.name(); }
  bool may_be_endless() const { return stream_.may_be_endless(); }

 private:
  void check_line(std::string_view line) const;

  std::string who_;
  ByteStream stream_;
  std::string_view block_;  // read and not given yet
  std::string rest_;        // of a line whose beginning next_piece() gave
  bool line_open_ = false;  // its end was not read yet
  int64_t lines_ = 0;
};

// Throws [who] ...: two files that must match line by line, and do not. Both are named with their numbers of lines; a
// pipe that may have no end is not read to it.
[[noreturn]] void fail_unequal(std::string_view who, TextFile& longer, const TextFile& shorter);

// All lines of a file.
std::vector<std::string> read_lines(const std::string& path, std::string_view who = "data");

}  // namespace fovea::data
