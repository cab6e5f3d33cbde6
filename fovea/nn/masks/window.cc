// Keys at a distance of at most N.
#include <algorithm>

#include "fovea/nn/masks/interval.h"
#include "fovea/nn/masks/kinds.h"

namespace fovea::nn {

Mask window(int64_t reach) {
  check(reach >= 0, "window", "a reach of {}: expected 0 or more", reach);
  reach = std::min(reach, kFar);
  return per_query([reach](int64_t at) { return Interval{at - reach, at + reach + 1}; });
}

MaskKind masks::window() {
  return {.name = "window",
          .written = "window:N",
          .what = "keys at a distance of at most N",
          .numbers = {{0}},
          .why_not =
              [](Place place) {
                return place == Place::kCross
                           ? "keys have no distance within one sequence there; use local-m:N"
                           : nullptr;
              },
          .make = [](const MaskNumbers& n, Place, std::span<const Var>) { return nn::window(n[0]); }};
}

}  // namespace fovea::nn
