// Which tokens may be chosen, and which end a hypothesis.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/decode/options.h"

namespace fovea::decode {

// Never chosen are: ids that no tokenizer can write; padding, the start token and (unless it is allowed) the unknown token of a
// decoder that reads a source; end-of-sequence tokens while a hypothesis has fewer tokens than min_tokens asks for. An
// end-of-sequence token that has another role, too, counts as the end.
class Choices {
 public:
  Choices(const run::DecoderInfo& info, const Options& options);

  // Ids that a hypothesis of so many tokens may not choose, ascending.
  std::span<const int32_t> hidden(int64_t tokens) const {
    return tokens < min_tokens_ || never_ends_ ? hidden_with_ends_ : hidden_;
  }
  bool ends(int32_t token) const;

 private:
  int64_t min_tokens_;
  bool never_ends_;
  std::vector<int32_t> ends_, hidden_, hidden_with_ends_;  // ascending
};

}  // namespace fovea::decode
