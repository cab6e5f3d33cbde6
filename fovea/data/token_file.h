// The ids of a text on disk, as they are read in training: the text is encoded once, line by line, and then mapped into memory, so
// that a text may be larger than memory.
//   16 bytes    "fovea ids" and the bytes of an id, 2 or 4
//   ids         little-endian
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fovea/base/file.h"
#include "fovea/data/tokenizer.h"

namespace fovea::data {

class TokenFile {
 public:
  // Throws where the file is not one.
  explicit TokenFile(const std::string& path);

  int64_t size() const { return count_; }
  // ids[begin, begin + out.size()) to out.
  void copy(int64_t begin, std::span<int32_t> out) const;
  // A hash of the ids: a resumed run knows by it that its data is the same.
  uint64_t fingerprint() const;

 private:
  MappedFile file_;
  int64_t width_ = 4, count_ = 0;
};

// Encodes text files, one after the other, into a TokenFile. Where the tokenizer knows line ends, they are part of the text;
// otherwise its end mark stands for them. Between several texts stands the end mark, where there is one. Returns the number of ids.
int64_t write_token_file(std::span<const std::string> texts, const Tokenizer& tokenizer,
                         const std::string& path);

// Whether a line end is text to the tokenizer.
bool keeps_line_ends(const Tokenizer& tokenizer);

}  // namespace fovea::data
