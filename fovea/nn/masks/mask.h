// Step two: which keys a query may see, and what is added to its scores.
//
//   Mask mask = causal() & window(256) & lengths(valid);     // everything must agree that a key is seen
//
// Query i of T stands at key position S - T + i unless the attention says otherwise: queries are the last T of the S positions, as with
// a cache of keys. Each kind has its file and its row in table.cc; spec.h says how kinds are written as text.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "fovea/autograd/attention.h"
#include "fovea/nn/masks/row.h"
#include "fovea/tensor/pool_allocator.h"

namespace fovea::nn {

using autograd::MaskParts;
using autograd::Var;

// Where queries stand. Without `first`, masks that count within one sequence put the last query at the last key, and masks that count
// along another put the first query at the first key.
struct QueryPositions {
  std::optional<int64_t> first = {};  // of the first query
  bool same = false;                  // all queries stand there, as hypotheses of one length do
};
enum class QueryPosition { kFromEnd, kFromStart };

// The attention a mask is asked about.
struct MaskContext {
  int64_t batch, queries, keys, heads;
  DType dtype = DType::kF32;
  Var query;  // [B, T, H, D], before any score's projection: local_p predicts from it
  QueryPositions at = {};

  int64_t position(int64_t query_row, QueryPosition count = QueryPosition::kFromEnd) const {
    return at.first.value_or(count == QueryPosition::kFromEnd ? keys - queries : 0) +
           (at.same ? 0 : query_row);
  }
};

// What masks come to: each adds its part. Starts with everything visible.
class MaskBuilder {
 public:
  explicit MaskBuilder(MaskContext context) : context_(std::move(context)) {}
  const MaskContext& context() const { return context_; }

  // Cuts the range of each query to first <= j < last: i32 [B or 1, H or 1, T], values of any size.
  void limit(const Tensor& first, const Tensor& last);
  // u8 [B or 1, H or 1, T or 1, S].
  void hide(const Tensor& visible);
  void add_bias(const Var& bias);  // [B or 1, H or 1, T or 1, S or 1]
  // The distances key position - query position that occur: `count` of them, from `first` on.
  struct Distances {
    int64_t first, count;
  };
  Distances distances() const;
  void add_by_distance(const Var& numbers);  // [H or 1, distances().count]
  // Weights are multiplied by a Gaussian around centre [B or 1, H or 1, T]. At most once.
  void weigh_by_gauss(const Var& centre, double sigma);
  // The number of keys of each batch entry, i32 [B]; undefined while nobody has said. For parts that need it.
  void set_lengths(const Tensor& lengths);
  const Tensor& lengths() const { return lengths_; }

  MaskParts parts() && { return std::move(parts_); }

 private:
  MaskContext context_;
  MaskParts parts_;
  Tensor lengths_;
};

// One kind of mask; its file says what it does. Made by make_pooled: masks come and go with every step.
class MaskPart {
 public:
  virtual ~MaskPart() = default;
  // For all queries of an attention.
  virtual void apply(MaskBuilder& builder) const = 0;
  // The same for one query at a time. A rule of nothing: it has none.
  virtual RowRule rows() const { return {}; }
  // Applied after the others, so that it finds lengths().
  virtual bool last() const { return false; }
  // It looks at the queries.
  virtual bool asks_queries() const { return false; }
};

class Mask {
 public:
  static constexpr size_t kMostParts = 12;

  Mask() = default;  // everything is visible
  explicit Mask(std::shared_ptr<const MaskPart> part) : count_(1) { parts_[0] = std::move(part); }

  friend Mask operator&(Mask a, const Mask& b) {
    check(a.count_ + b.count_ <= kMostParts, "mask", "more than {} masks combined", kMostParts);
    for (size_t i = 0; i < b.count_; ++i) a.parts_[a.count_++] = b.parts_[i];
    return a;
  }
  bool empty() const { return count_ == 0; }
  bool asks_queries() const;
  MaskParts resolve(const MaskContext& context) const;
  // A rule for each part. Throws where one has none.
  std::vector<RowRule> rows() const;

 private:
  std::array<std::shared_ptr<const MaskPart>, kMostParts>
      parts_;  // inline: combining masks does not allocate
  size_t count_ = 0;
};

// A query sees keys up to its own position.
Mask causal();
// Keys at a distance of at most `reach` from the query's position.
Mask window(int64_t reach);
// Keys j < lengths[b]: padding is hidden. i32 [B].
Mask lengths(const Tensor& lengths);
// The first `keys` keys are seen by all; the others causally.
Mask prefix(int64_t keys);
// u8, not 0 = visible: [T, S], [B, T, S] or [B, H, T, S]; B, H and T may be 1.
Mask visible(const Tensor& visible);
// Added to the scores: [T, S], [B, T, S] or [B, H, T, S]; any axis may be 1.
Mask bias(const Var& bias);
// Press et al. 2022: -slope_h |distance|, with slopes falling geometrically over the heads.
Mask alibi();
// Raffel et al. 2020: a learned number for each (bucket of distance, head); table is [buckets, H].
Mask relative(const Var& table, int64_t max_distance = 128, bool bidirectional = true);
// Luong et al. 2015, monotonic: target word t looks at source words t - reach .. t + reach. (window() counts from the end, as
// self-attention with a cache does; local_m from the start.)
Mask local_m(int64_t reach);
// Luong et al. 2015, predictive: p = S sigmoid(vp . tanh(Wp q)), the keys within `reach` of round(p), and
// weights multiplied by a Gaussian around p with sigma = reach / 2. S is lengths[b] where lengths() is part
// of the mask. Wp is [a, D] and vp [a] for every head, or [H, a, D] and [H, a].
Mask local_p(const Var& wp, const Var& vp, int64_t reach);

// The slope of head h of H: 2^(-8 (h + 1) / H) for a power of two; otherwise as Press et al. fill in between.
double alibi_slope(int64_t head, int64_t heads);
// The bucket of distance = key position - query position: half of them (of each direction) exact, the rest
// logarithmic.
int64_t relative_bucket(int64_t distance, int64_t buckets, int64_t max_distance, bool bidirectional);

// e [B, H, T, S] with the mask's numbers added, and -inf where a key is hidden.
Var masked(const Var& e, const MaskParts& mask);

}  // namespace fovea::nn
