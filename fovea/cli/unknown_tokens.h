// Tokens of a text that a model's vocabulary does not have: their labels in maps, and a word about them on standard error.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/tokenizer.h"

namespace fovea::cli {

// The pieces of a line as labels of a map; unknown ones are marked, as "unicorn<unk>".
std::vector<std::string> labels_of(const data::Tokenizer& tokenizer, std::string_view line);
// The same for ids that a model read: those of the line, with special tokens around them.
std::vector<std::string> labels_of(const data::Tokenizer& tokenizer, std::span<const int32_t> ids,
                                   std::string_view line);

// Counts the unknown tokens of lines, and keeps the first few of them.
class UnknownTokens {
 public:
  // `what` is counted: "source tokens". The tokenizer must outlive it.
  explicit UnknownTokens(const data::Tokenizer& tokenizer, std::string_view what = "tokens")
      : tokenizer_(tokenizer), what_(what) {}

  void add(std::string_view line);
  // "2 of 7 source tokens are unknown to this model's vocabulary: unicorn, zebra"; empty where there are none.
  std::string summary() const;
  // Prints the summary to standard error, if there is one.
  void say(std::string_view who) const;

 private:
  const data::Tokenizer& tokenizer_;
  std::string what_;
  int64_t tokens_ = 0, unknown_ = 0;
  std::vector<std::string> texts_;  // of unknown tokens, each once
  bool more_ = false;               // there are others
};

}  // namespace fovea::cli
