// Local attention that moves with the target (Luong et al. 2015, monotonic).
#include <algorithm>

#include "fovea/nn/masks/interval.h"
#include "fovea/nn/masks/kinds.h"

namespace fovea::nn {

Mask local_m(int64_t reach) {
  check(reach >= 0, "local_m", "a reach of {}: expected 0 or more", reach);
  reach = std::min(reach, kFar);
  return per_query(
      [reach](int64_t at) {
        return Interval{at - reach, at + reach + 1};
      },
      QueryPosition::kFromStart);
}

MaskKind masks::local_m() {
  return {.name = "local-m",
          .written = "local-m:N",
          .what = "target word t sees source words t - N .. t + N (Luong's local-m)",
          .numbers = {{0}},
          .why_not =
              [](Place place) {
                return place == Place::kCross ? nullptr
                                              : "there is no other sequence to move along; use window:N";
              },
          .make = [](const MaskNumbers& n, Place, std::span<const Var>) { return nn::local_m(n[0]); }};
}

}  // namespace fovea::nn
