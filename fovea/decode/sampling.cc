#include "fovea/decode/sampling.h"

#include <cmath>

#include "fovea/base/error.h"

namespace fovea::decode {

void check_sampling(const Sampling& s, std::string_view who) {
  check(s.temperature > 0 && std::isfinite(s.temperature), who, "a temperature of {}: expected more than 0",
        s.temperature);
  check(s.top_k >= 0, who, "top-k {}: expected 0 (all) or more", s.top_k);
  check(s.top_p > 0 && s.top_p <= 1, who, "top-p {}: expected more than 0, at most 1", s.top_p);
  check(s.min_p >= 0 && s.min_p <= 1, who, "min-p {}: expected 0 to 1", s.min_p);
}

}  // namespace fovea::decode
