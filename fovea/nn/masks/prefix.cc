// A prefix that everybody sees, and causal after it: a language model that reads its prompt in both directions.
#include <algorithm>

#include "fovea/nn/masks/interval.h"
#include "fovea/nn/masks/kinds.h"

namespace fovea::nn {

Mask prefix(int64_t keys) {
  check(keys >= 0, "prefix", "a prefix of {} keys: expected 0 or more", keys);
  return per_query([keys](int64_t at) { return Interval{0, std::max(keys, at + 1)}; });
}

MaskKind masks::prefix() {
  return {
      .name = "prefix",
      .written = "prefix:N",
      .what = "the first N keys are seen by all, the others causally",
      .numbers = {{0}},
      .why_not =
          [](Place place) { return place == Place::kCross ? "all of its keys are seen already" : nullptr; },
      .make = [](const MaskNumbers& n, Place, std::span<const Var>) { return nn::prefix(n[0]); }};
}

}  // namespace fovea::nn
