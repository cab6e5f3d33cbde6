// How tokens are drawn.
#pragma once

#include <cstdint>
#include <string_view>

namespace fovea::decode {

struct Sampling {
  float temperature = 1;  // logits are divided by it; above 0
  int64_t top_k = 0;      // draw from the k most probable tokens; 0: from all
  float top_p = 1;        // of those, from the fewest most probable ones that have this share, in (0, 1]
  float min_p = 0;        // of those, from the ones with at least this share of the largest probability
  uint64_t seed = 1;
};

// Throws Error for an option that is out of its range; `who` starts the message.
void check_sampling(const Sampling& sampling, std::string_view who);

}  // namespace fovea::decode
