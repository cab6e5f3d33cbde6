// What a search finds.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/run/look.h"

namespace fovea::decode {

struct Hypothesis {
  std::vector<int32_t> tokens;  // the end-of-sequence token is not among them
  double log_prob = 0;          // of the tokens, and of the end-of-sequence token where it ended with one
  double score = 0;             // normalised by length: what hypotheses are ranked by
  bool ended = false;           // by an end-of-sequence token or a stop string, not by a limit of length
  // Where somebody looked: what each token saw, and the end-of-sequence token where it ended with one; and what the encoder saw.
  std::vector<run::Looked> looks;
  run::Looked encoder;
};
using NBest = std::vector<Hypothesis>;  // best first, at least one

// A token as it comes.
struct Token {
  int32_t id;
  float log_prob;             // what the model gives it: temperature, top-k, top-p and min-p not applied
  const run::Looked* looked;  // empty where nobody looks
};

}  // namespace fovea::decode
