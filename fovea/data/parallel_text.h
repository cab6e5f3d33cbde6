// Pairs of lines from files: one file for each side, or one file of tab-separated columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/pair.h"
#include "fovea/data/text_file.h"

namespace fovea::data {

struct ParallelFiles {
  std::string source;  // the source side; or, without a target, all: source TAB target [TAB alignment]
  std::string target;  // the target side
  std::string
      alignment;  // Pharaoh's format, a line for each pair (not with tab-separated columns); empty: none
};

// Pairs one at a time, in memory that does not depend on the files. Every pair is given, also where a side is empty:
// Dataset counts and leaves out what cannot be learned from, and knows what is too long, in tokens.
// Throws [who] ... for files that do not match line by line, for lines that are no pair, and where a link names a word
// that its line does not have.
class ParallelText {
 public:
  explicit ParallelText(const ParallelFiles& files, std::string_view who = "data");

  bool next(Pair& pair);
  // next() would not wait.
  bool ready() const {
    return source_.ready() && (!target_ || target_->ready()) && (!alignment_ || alignment_->ready());
  }

 private:
  bool next_of_files(Pair& pair);
  bool next_of_columns(Pair& pair);
  void parse_alignment(std::string_view text, const TextFile& file, Pair& pair) const;

  std::string who_;
  TextFile source_;
  std::optional<TextFile> target_, alignment_;
  std::string line_;
};

// All pairs of the files.
std::vector<Pair> read_pairs(const ParallelFiles& files, std::string_view who = "data");

}  // namespace fovea::data
