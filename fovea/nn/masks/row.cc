#include "fovea/nn/masks/row.h"

#include <algorithm>
#include <limits>

#include "fovea/nn/masks/spec.h"

namespace fovea::nn {

RowMasks::RowMasks(const Mask& mask) : rules_(mask.rows()) {
  for (const RowRule& rule : rules_) {
    has_bias_ = has_bias_ || rule.add;
    asks_query_ = asks_query_ || rule.asks_query;
  }
}

RowMasks::RowMasks(const MaskSpec& spec, Place place, std::span<const Tensor> arrays)
    : RowMasks(spec.mask(place, std::vector<Var>(arrays.begin(), arrays.end()))) {}

RowMask RowMasks::row(const RowQuery& where, float* bias) const {
  RowMask seen = {.first = 0, .last = where.keys, .has_bias = has_bias_};
  for (const RowRule& rule : rules_)
    if (rule.limit) rule.limit(where, seen);
  seen.first = std::clamp<int64_t>(seen.first, 0, where.keys);
  seen.last = std::clamp<int64_t>(seen.last, seen.first, where.keys);
  if (!has_bias_) return seen;
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  std::fill(bias, bias + seen.first, kHidden);
  std::fill(bias + seen.first, bias + seen.last, 0.0f);
  std::fill(bias + seen.last, bias + where.keys, kHidden);
  for (const RowRule& rule : rules_)
    if (rule.add) rule.add(where, seen, bias);
  return seen;
}

}  // namespace fovea::nn
