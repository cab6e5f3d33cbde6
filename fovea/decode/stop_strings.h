// Strings before which a text ends.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/tokenizer.h"

namespace fovea::decode {

// Where the first of them begins, at `from` or later; npos: nowhere.
size_t find_stop(std::string_view text, std::span<const std::string> stop, size_t from = 0);

// The text of tokens that follow `before`, and whether one of the stop strings is in it.
class StopStrings {
 public:
  StopStrings(const data::Tokenizer* tokenizer, std::span<const std::string> stop,
              std::span<const int32_t> before);
  // Safe to call from any number of threads.
  bool met(std::span<const int32_t> tokens) const;

 private:
  const data::Tokenizer* tokenizer_;
  std::span<const std::string> stop_;
  std::vector<int32_t> before_;
  size_t skipped_ = 0;  // bytes
};

}  // namespace fovea::decode
