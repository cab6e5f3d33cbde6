// A query sees no key after its own position.
#include "fovea/nn/masks/interval.h"
#include "fovea/nn/masks/kinds.h"

namespace fovea::nn {

Mask causal() {
  return per_query([](int64_t at) { return Interval{0, at + 1}; });
}

MaskKind masks::causal() {
  return {.name = "causal",
          .written = "causal",
          .what = "keys up to the query's own position; decoders have it without saying so",
          .numbers = {},
          .why_not =
              [](Place place) {
                return place == Place::kCross
                           ? "its queries and keys are two sequences, none before the other"
                           : nullptr;
              },
          .make = [](const MaskNumbers&, Place, std::span<const Var>) { return nn::causal(); }};
}

}  // namespace fovea::nn
