#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/blocks.h"
#include "fovea/kernels/top_k.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/top_k_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/row_max-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The largest elements seen so far, in order, in the arrays of the result.
struct Largest {
  int64_t k, count;
  int32_t* ids;
  float* values;
  float least;  // what does not exceed it has no place among them

  HWY_INLINE void Offer(float value, int64_t id) {
    if (!(value > least)) return;
    int64_t at = count < k ? count++ : k - 1;
    for (; at > 0 && values[at - 1] < value; --at) {
      values[at] = values[at - 1];
      ids[at] = ids[at - 1];
    }
    values[at] = value;
    ids[at] = static_cast<int32_t>(id);
    if (count == k) least = values[k - 1];
  }
};

// Offers x[begin..end). After the first few, nearly every block of four vectors holds nothing large enough,
// and costs four loads and one branch.
void Scan(const float* x, int64_t begin, int64_t end, Largest& largest) {
  const hn::ScalableTag<float> d;
  const auto block = 4 * static_cast<int64_t>(hn::Lanes(d));
  int64_t i = begin;
  for (; i + block <= end; i += block) {
    const float* at = x + i;
    const auto lanes = block / 4;
    const auto top = hn::Max(hn::Max(hn::LoadU(d, at), hn::LoadU(d, at + lanes)),
                             hn::Max(hn::LoadU(d, at + 2 * lanes), hn::LoadU(d, at + 3 * lanes)));
    if (HWY_LIKELY(hn::AllFalse(d, hn::Gt(top, hn::Set(d, largest.least))))) continue;
    for (int64_t j = i; j < i + block; ++j) largest.Offer(x[j], j);
  }
  for (; i < end; ++i) largest.Offer(x[i], i);
}

void TopKLogSoftmax(const float* x, int64_t rows, int64_t cols, int64_t k, std::span<const int32_t> hidden,
                    int32_t* ids, float* log_probs) {
  const hn::ScalableTag<float> d;
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  for (int64_t r = 0; r < rows; ++r, x += cols, ids += k, log_probs += k) {
    Largest largest{k, 0, ids, log_probs, kNone};
    const float max = RowMax(d, x, cols);
    if (HWY_LIKELY(std::isfinite(max))) {
      int64_t begin = 0;
      for (const int32_t id : hidden) {
        Scan(x, begin, id, largest);
        begin = id + 1;
      }
      Scan(x, begin, cols, largest);
      const float log_sum = std::log(RowSumExp(d, x, cols, max, [](auto, auto) HWY_ATTR {}));
      for (int64_t j = 0; j < largest.count; ++j) log_probs[j] = log_probs[j] - max - log_sum;
    }
    std::fill(ids + largest.count, ids + k, -1);
    std::fill(log_probs + largest.count, log_probs + k, kNone);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(TopKLogSoftmax);

void top_k_log_softmax(const float* x, int64_t rows, int64_t cols, int64_t k, std::span<const int32_t> hidden,
                       int32_t* ids, float* log_probs) {
  if (k == 0) return;
  parallel_ranges(rows, rows_per_block(cols), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(TopKLogSoftmax)
    (x + begin * cols, end - begin, cols, k, hidden, ids + begin * k, log_probs + begin * k);
  });
}

}  // namespace fovea::kernels
#endif
