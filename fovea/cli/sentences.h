// The sentences that fill and look work on: the one that stands in the command, or lines of standard input as they are typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fovea/data/text_file.h"

namespace fovea::cli {

class Sentences {
 public:
  // `arguments`: one sentence, or "-". Several are wrong usage: quotes were forgotten, or each was meant to be a sentence.
  Sentences(const std::vector<std::string>& arguments, std::string_view verb);

  // The next sentence. What was written so far is flushed first: a person may be waiting for it.
  bool next(std::string& sentence);
  // Of the newest one, from 1.
  int64_t number() const { return number_; }

 private:
  std::optional<data::TextFile> input_;
  std::string only_;
  int64_t number_ = 0;
};

}  // namespace fovea::cli
