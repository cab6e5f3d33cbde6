// Masks for one query at a time: what a query at a known position sees of the keys that are there so far, without tensors or a tape.
// For keys and values in a cache. The same numbers as Mask::resolve() gives for whole sequences.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea::nn {

class Mask;
class MaskSpec;
enum class Place;

// One head of one query.
struct RowQuery {
  int64_t query =
      0;  // its position, counted from 0: the key of the same position is its own (or, for keys of another sequence, the
          // one with the same number)
  int64_t keys = 0;  // S: keys 0 <= j < S are there
  int64_t head = 0, heads = 1;
  const float* q =
      nullptr;        // its vector, as the score gets it (after rotary positions): only where asks_query()
  int64_t width = 0;  // of q
};

// What it sees.
struct RowMask {
  int64_t first = 0, last = 0;  // keys first <= j < last; none where they are equal
  bool has_bias = false;
  // Not 0: the weights, after the softmax, are multiplied by exp(-(j - centre)^2 / (2 sigma^2)) and not normalised again.
  float centre = 0, sigma = 0;
};

// How a mask treats one row: it cuts the range (and says a centre), or adds to the scores of keys in the range, or both.
struct RowRule {
  std::function<void(const RowQuery&, RowMask&)> limit = {};
  std::function<void(const RowQuery&, const RowMask&, float* bias)> add = {};
  bool asks_query = false;
};

// Immutable: any number of threads may ask at once.
class RowMasks {
 public:
  RowMasks() = default;  // everything is visible
  // Throws where a part of the mask has no rule for single rows.
  explicit RowMasks(const Mask& mask);
  // The masks of an attention of a model, with its learned arrays in the order of MaskSpec::params().
  RowMasks(const MaskSpec& spec, Place place, std::span<const Tensor> arrays);

  // Whether row() writes to `bias`, for any query.
  bool has_bias() const { return has_bias_; }
  bool asks_query() const { return asks_query_; }

  // What `where` sees. With a bias, bias[j] for all 0 <= j < keys is what is added to the score of key j, -inf where it is hidden;
  // without one, `bias` is left alone and may be null.
  RowMask row(const RowQuery& where, float* bias) const;

 private:
  std::vector<RowRule> rules_;
  bool has_bias_ = false, asks_query_ = false;
};

}  // namespace fovea::nn
