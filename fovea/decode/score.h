// Log-probabilities of given tokens, and where the model looks while it reads them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fovea/run/session.h"

namespace fovea::decode {

struct ScoreRequest {
  std::vector<int32_t> source = {};  // of a decoder that reads one, without an end-of-sequence token
  std::vector<int32_t> prompt = {};  // read first, not scored; none: the decoder's start token
  std::vector<int32_t> target = {};
  bool end = true;  // the end-of-sequence token after it is scored, too
};

struct Scored {
  double log_prob = 0;
  std::vector<float> tokens;    // log-probability of each target token, and of the end-of-sequence token
  run::Looked looked, encoder;  // where somebody looked; rows are those of `tokens`
};

// At most `batch` requests side by side. found(i, scored) is called once for each, in no given order; false where `stop`, which is asked
// before each step, ended it.
bool score_all(const run::Decoder& decoder, std::span<const ScoreRequest> requests, int64_t batch,
               const run::LookAt& look, const std::function<void(size_t, Scored)>& found,
               const std::function<bool()>& stop = {});

}  // namespace fovea::decode
