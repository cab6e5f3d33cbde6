// Tokens for the gaps of a line, by a model that was trained to find masked tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/run/loaded.h"

namespace fovea::decode {

struct Guess {
  int32_t id;
  float probability;
  std::string token;  // "capital"
  std::string text;   // the line with this token in the gap; other gaps stay
};

struct Gap {
  int64_t position;            // its token, special tokens counted
  std::vector<Guess> guesses;  // most probable first; of equals, the smaller id
};

// Throws unless the model knows masked tokens and its tokenizer has a mask token; `where` names it.
void check_fills(const run::LoadedEncoder& model, std::string_view where);

// The `count` most probable tokens of each gap. A line without words has no gaps; one with words and without a gap is an error that names
// line `number`.
std::vector<Gap> fill_gaps(const run::LoadedEncoder& model, std::string_view line, int64_t count,
                           int64_t number = 1);

}  // namespace fovea::decode
