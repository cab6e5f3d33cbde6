// The log-probability of a text, by a model that continues texts.
#pragma once

#include <string_view>
#include <vector>

#include "fovea/run/loaded.h"

namespace fovea::decode {

struct ScoredText {
  double log_prob = 0;
  std::vector<int32_t> ids;   // all that was read, special tokens included
  std::vector<float> tokens;  // log-probability of each but the first, which nothing stands before
};

// Throws for a text that is longer than the model can read; `number` is its line in messages.
ScoredText score_text(const run::LoadedDecoder& model, std::string_view text, int64_t number = 1);

}  // namespace fovea::decode
