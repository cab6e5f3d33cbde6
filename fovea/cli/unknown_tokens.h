// Tokens of a text that a model's vocabulary does not have: a line about them on standard error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/tokenizer.h"

namespace fovea::cli {

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
