#include "fovea/kernels/attend_cached.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/attend_cached_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attend_cached_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/half-inl.h"
#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/row_max-inl.h"
#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr float kHiddenScore = -std::numeric_limits<float>::infinity();

// Query heads that share one load of keys or values: with four vectors each, their sums fill the registers.
constexpr int kMostHeads = HWY_TARGET <= HWY_AVX3 ? 6 : 3;

// Calls f with heads in runs of at most kMostHeads, as equal as can be: f(first head, integral_constant of their number).
template <class F>
HWY_INLINE void ForHeads(int64_t heads, F&& f) {
  const int64_t runs = (heads + kMostHeads - 1) / kMostHeads;
  for (int64_t r = 0; r < runs; ++r) {
    const int64_t h = heads * r / runs;
    switch (heads * (r + 1) / runs - h) {
      case 1:
        f(h, std::integral_constant<int, 1>());
        break;
      case 2:
        f(h, std::integral_constant<int, 2>());
        break;
      case 3:
        f(h, std::integral_constant<int, 3>());
        break;
      case 4:
        f(h, std::integral_constant<int, std::min(4, kMostHeads)>());
        break;
      case 5:
        f(h, std::integral_constant<int, std::min(5, kMostHeads)>());
        break;
      default:
        f(h, std::integral_constant<int, kMostHeads>());
    }
  }
}

// n numbers at p are read soon. Pages lie apart, and runs within one are too short for the CPU to foresee the next. They wait in the
// second-level cache: the first would have to give up what is being read for them, and asks memory for fewer lines at a time (on Zen 4, 23
// against 33 GB/s).
template <class T>
HWY_INLINE void PrefetchRow(const T* p, int64_t n) {
  constexpr int64_t kLine = 64 / sizeof(T);
  for (int64_t i = 0; i < n; i += kLine) __builtin_prefetch(p + i, 0, 2);
}

// e[h][0..kVectors * lanes) of neighbouring tokens for kHeads query heads that read one key head: k is [D][kCachePage]. `next`, where not
// null, is what is read after it, as large.
template <int kHeads, int kVectors, class T>
HWY_INLINE void DotTile(const float* HWY_RESTRICT q, int64_t D, float scale, const T* HWY_RESTRICT k,
                        const T* next, float* HWY_RESTRICT e) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  V sum[kHeads][kVectors];
  for (auto& row : sum)
    for (V& s : row) s = hn::Zero(d);
  for (int64_t c = 0; c < D; ++c, k += kCachePage) {
    if (next) PrefetchRow(next + c * kCachePage, kVectors * static_cast<int64_t>(lanes));
    V key[kVectors];
    for (int v = 0; v < kVectors; ++v) key[v] = LoadNumbers(d, k + v * lanes);
    for (int h = 0; h < kHeads; ++h) {
      const V x = hn::Set(d, q[h * D + c]);
      for (int v = 0; v < kVectors; ++v) sum[h][v] = hn::MulAdd(x, key[v], sum[h][v]);
    }
  }
  for (int h = 0; h < kHeads; ++h)
    for (int v = 0; v < kVectors; ++v)
      hn::StoreU(hn::Mul(sum[h][v], hn::Set(d, scale)), d, e + h * kCacheBlock + v * lanes);
}

// The same of u.tanh(q + k), one head at a time: tanh is the work.
template <int kVectors, class T>
HWY_INLINE void AdditiveTile(const float* HWY_RESTRICT q, const float* HWY_RESTRICT u, int64_t D,
                             const T* HWY_RESTRICT k, float* HWY_RESTRICT e) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  V sum[kVectors];
  for (V& s : sum) s = hn::Zero(d);
  for (int64_t c = 0; c < D; ++c, k += kCachePage)
    for (int v = 0; v < kVectors; ++v)
      sum[v] = hn::MulAdd(hn::Set(d, u[c]), Tanh(d, hn::Add(hn::Set(d, q[c]), LoadNumbers(d, k + v * lanes))),
                          sum[v]);
  for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[v], d, e + v * lanes);
}

// Calls f(place, integral_constant of vectors) until the vectors that hold places [from, to) of a page are done.
template <class F>
HWY_INLINE void ForPlaces(int64_t from, int64_t to, F&& f) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  int64_t t = from / lanes * lanes;
  for (; t + 3 * lanes < to; t += 4 * lanes) f(t, std::integral_constant<int, 4>());
  for (; t + lanes < to; t += 2 * lanes) f(t, std::integral_constant<int, 2>());
  if (t < to) f(t, std::integral_constant<int, 1>());
}

// Calls f(page, its first token within the block, from, to) for each page of a block, with [from, to) within the page.
template <class F>
HWY_INLINE void ForPages(const BlockRange& range, F&& f) {
  for (int64_t p = range.from / kCachePage; p * kCachePage < range.to; ++p)
    f(range.block * (kCacheBlock / kCachePage) + p, p * kCachePage,
      std::max<int64_t>(0, range.from - p * kCachePage), std::min(kCachePage, range.to - p * kCachePage));
}

// The keys of head g of query i in a page, from its first token; the values from token `from` on.
template <class T>
HWY_INLINE const T* KeysOf(const AttendCached& a, int64_t i, int64_t g, int64_t page) {
  return static_cast<const T*>(a.key_pages[i][page]) + a.keys.offset + g * a.keys.width * kCachePage;
}
template <class T>
HWY_INLINE const T* ValuesOf(const AttendCached& a, int64_t i, int64_t g, int64_t page, int64_t from) {
  return static_cast<const T*>(a.value_pages[i][page]) + a.values.offset +
         (g * kCachePage + from) * a.values.width;
}

// e [heads][kCacheBlock] of the heads [head, head + heads) that read key head g. `after`: what is read when they are done, or null.
template <class T>
void ScoreKeyHead(const AttendCached& a, int64_t i, int64_t g, int64_t head, int64_t heads,
                  const BlockRange& range, float* e, const void* after) {
  const int64_t D = a.keys.width;
  const float* q = a.q + i * a.q_stride + head * D;
  ForPages(range, [&](int64_t page, int64_t start, int64_t from, int64_t to) HWY_ATTR {
    const T* k = KeysOf<T>(a, i, g, page);
    const T* next =
        start + kCachePage < range.to ? KeysOf<T>(a, i, g, page + 1) : static_cast<const T*>(after);
    ForPlaces(from, to, [&](int64_t t, auto vectors) HWY_ATTR {
      constexpr int kVectors = decltype(vectors)::value;
      if (a.score == CachedScore::kDot) {
        ForHeads(heads, [&](int64_t h, auto count) HWY_ATTR {
          DotTile<decltype(count)::value, kVectors>(q + h * D, D, a.scale, k + t,
                                                    next && h == 0 ? next + t : nullptr,
                                                    e + h * kCacheBlock + start + t);
        });
      } else {
        for (int64_t h = 0; h < heads; ++h)
          AdditiveTile<kVectors>(q + h * D, a.u + (head + h) * a.u_stride, D, k + t,
                                 e + h * kCacheBlock + start + t);
      }
    });
  });
}

// c[h][0..kVectors * lanes) += sum_t w[h][t] v[t]. n: elements of the last vector. With `skip`, tokens that no head reads are passed
// over, whatever they hold.
template <int kHeads, int kVectors, bool kTail, class T>
HWY_INLINE void ReadTile(const float* HWY_RESTRICT w, const T* HWY_RESTRICT values, const T* next, int64_t M,
                         int64_t tokens, int64_t n, bool skip, float* HWY_RESTRICT c, int64_t c_stride) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  V sum[kHeads][kVectors];
  for (int h = 0; h < kHeads; ++h)
    for (int v = 0; v < kVectors; ++v) sum[h][v] = hn::LoadU(d, c + h * c_stride + v * lanes);
  for (int64_t t = 0; t < tokens; ++t, values += M) {
    if (skip) {
      bool read = false;
      for (int h = 0; h < kHeads; ++h) read |= w[h * kCacheBlock + t] != 0;
      if (!read) continue;
    }
    if (next) PrefetchRow(next + t * M, kVectors * static_cast<int64_t>(lanes));
    V value[kVectors];
    for (int v = 0; v < kVectors; ++v)
      value[v] = kTail ? LoadNumbersTail(d, values + v * lanes, n) : LoadNumbers(d, values + v * lanes);
    for (int h = 0; h < kHeads; ++h) {
      const V x = hn::Set(d, w[h * kCacheBlock + t]);
      for (int v = 0; v < kVectors; ++v) sum[h][v] = hn::MulAdd(x, value[v], sum[h][v]);
    }
  }
  for (int h = 0; h < kHeads; ++h)
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[h][v], d, c + h * c_stride + v * lanes);
}

// c [heads] rows of context, c_stride apart, of `heads` heads that read value head g. `after`: what is read when they are done, or null.
template <class T>
void ReadValueHead(const AttendCached& a, int64_t i, int64_t g, int64_t heads, const BlockRange& range,
                   const float* w, bool skip, float* c, int64_t c_stride, const void* after) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  const int64_t M = a.values.width;
  ForPages(range, [&](int64_t page, int64_t start, int64_t from, int64_t to) HWY_ATTR {
    const T* v = ValuesOf<T>(a, i, g, page, from);
    const T* next =
        start + kCachePage < range.to ? ValuesOf<T>(a, i, g, page + 1, 0) : static_cast<const T*>(after);
    ForHeads(heads, [&](int64_t h, auto count) HWY_ATTR {
      constexpr int kHeads = decltype(count)::value;
      const float* weights = w + h * kCacheBlock + start + from;
      float* to_row = c + h * c_stride;
      int64_t m = 0;
      for (; m + 4 * lanes <= M; m += 4 * lanes)
        ReadTile<kHeads, 4, false>(weights, v + m, next && h == 0 ? next + m : nullptr, M, to - from, lanes,
                                   skip, to_row + m, c_stride);
      for (; m + lanes <= M; m += lanes)
        ReadTile<kHeads, 1, false>(weights, v + m, static_cast<const T*>(nullptr), M, to - from, lanes, skip,
                                   to_row + m, c_stride);
      if (m < M)
        ReadTile<kHeads, 1, true>(weights, v + m, static_cast<const T*>(nullptr), M, to - from, M - m, skip,
                                  to_row + m, c_stride);
    });
  });
}

// e += bias, and -inf where that is the bias, whatever e was.
HWY_INLINE void AddBias(const float* bias, int64_t n, float* e) {
  const hn::ScalableTag<float> d;
  ForVectors(d, n, [&](int64_t, auto load, auto store) HWY_ATTR {
    const auto b = load(bias);
    store(hn::IfThenElse(hn::Eq(b, hn::Set(d, kHiddenScore)), b, hn::Add(load(e), b)), e);
  });
}

HWY_INLINE void MultiplyBy(const float* factor, int64_t n, float* e) {
  const hn::ScalableTag<float> d;
  ForVectors(d, n,
             [&](int64_t, auto load, auto store) HWY_ATTR { store(hn::Mul(load(e), load(factor)), e); });
}

HWY_INLINE void ScaleRow(float by, int64_t n, float* x) {
  const hn::ScalableTag<float> d;
  ForVectors(d, n,
             [&](int64_t, auto load, auto store) HWY_ATTR { store(hn::Mul(load(x), hn::Set(d, by)), x); });
}

// Scores become exponentials, zeros where all are hidden. Where the largest is NaN or +inf, the sum is NaN.
HWY_INLINE void WeighBlock(const CachedPlan& plan, int64_t part, bool hard, int64_t first, int64_t n,
                           float* e) {
  const hn::ScalableTag<float> d;
  const float top = RowMax(d, e, n);
  plan.top[part] = top;
  plan.sum[part] = 0;
  if (hard) {
    plan.best[part] = static_cast<int32_t>(first + (std::find(e, e + n, top) - e));
  } else if (std::abs(top) < std::numeric_limits<float>::infinity()) {
    plan.sum[part] = RowSumExp(d, e, n, top, [&](auto store, auto x) HWY_ATTR { store(x, e); });
  } else {
    std::fill_n(e, n, 0.0f);
    if (top != kHiddenScore) plan.sum[part] = std::numeric_limits<float>::quiet_NaN();
  }
}

// The first keys that cluster x of query i reads of a block; null where it reads none.
const void* FirstKeys(const AttendCached& a, const CachedPlan& plan, int64_t i, int64_t x, int64_t block) {
  const TokenRange tokens(a, i);
  const bool seen = block >= tokens.first_block() && block < tokens.first_block() + tokens.blocks();
  if (!seen || a.score == CachedScore::kGiven) return nullptr;
  const int64_t page = BlockRange(tokens, block).first() / kCachePage;
  const int64_t g = a.H / plan.clusters * x / (a.H / a.keys.heads);
  if (a.keys.type == CacheType::kF16) return KeysOf<uint16_t>(a, i, g, page);
  return KeysOf<float>(a, i, g, page);
}

// Cluster x of heads of query i, over one block of tokens; e is [heads of a cluster][kCacheBlock]. `after`: what is read next.
void AttendBlock(const AttendCached& a, const CachedPlan& plan, int64_t i, int64_t x, int64_t block, float* e,
                 const void* after) {
  const TokenRange tokens(a, i);
  const BlockRange range(tokens, block);
  const int64_t heads = a.H / plan.clusters, head = x * heads, b = block - tokens.first_block();
  const int64_t first = range.first(), n = range.count();
  const int64_t per_key = a.H / a.keys.heads, per_value = a.H / a.values.heads;
  const auto first_values = [&](int64_t g) -> const void* {
    const int64_t page = first / kCachePage, from = first % kCachePage;
    if (a.values.type == CacheType::kF16) return ValuesOf<uint16_t>(a, i, g, page, from);
    return ValuesOf<float>(a, i, g, page, from);
  };
  if (a.score == CachedScore::kGiven) {
    std::fill_n(e, heads * kCacheBlock, 0.0f);
  } else {
    const void* values = a.hard ? after : first_values(head / per_value);
    for (int64_t h = 0; h < heads; h += per_key)
      (a.keys.type == CacheType::kF16 ? ScoreKeyHead<uint16_t>
                                      : ScoreKeyHead<float>)(a, i, (head + h) / per_key, head + h, per_key,
                                                             range, e + h * kCacheBlock,
                                                             h + per_key < heads ? nullptr : values);
  }
  const float *bias = a.bias ? a.bias[i] : nullptr, *factor = a.factor ? a.factor[i] : nullptr;
  for (int64_t h = 0; h < heads; ++h) {
    float* row = e + h * kCacheBlock + range.from;
    if (bias) AddBias(bias + (head + h) * a.bias_stride + first, n, row);
    WeighBlock(plan, plan.part(i, head + h, b), a.hard, first, n, row);
    if (a.hard) continue;
    if (factor) MultiplyBy(factor + (head + h) * a.factor_stride + first, n, row);
    if (a.weights) std::copy_n(row, n, a.weights + (i * a.H + head + h) * a.weights_stride + first);
  }
  if (a.hard) return;
  const int64_t stride = plan.parts(i) * plan.width;
  for (int64_t h = 0; h < heads; h += per_value) {
    float* c = plan.context + plan.part(i, head + h, b) * plan.width;
    for (int64_t k = 0; k < per_value; ++k) std::fill_n(c + k * stride, plan.width, 0.0f);
    (a.values.type == CacheType::kF16 ? ReadValueHead<uint16_t>
                                      : ReadValueHead<float>)(a, i, (head + h) / per_value, per_value, range,
                                                              e + h * kCacheBlock, bias != nullptr, c, stride,
                                                              h + per_value < heads ? nullptr : after);
  }
}

// Units [begin, end) of the grid [block, cluster, query]: queries that share pages read them one after the other.
void AttendUnits(const AttendCached& a, const CachedPlan& plan, int64_t begin, int64_t end) {
  Scratch scratch;
  float* e = scratch.take<float>(a.H / plan.clusters * kCacheBlock);
  const auto query = [&](int64_t x) { return x % a.queries; };
  const auto cluster = [&](int64_t x) { return x / a.queries % plan.clusters; };
  const auto block = [&](int64_t x) { return x / (a.queries * plan.clusters); };
  for (int64_t x = begin; x < end; ++x) {
    const TokenRange tokens(a, query(x));
    if (block(x) < tokens.first_block() || block(x) >= tokens.first_block() + tokens.blocks()) continue;
    const void* after =
        x + 1 < end ? FirstKeys(a, plan, query(x + 1), cluster(x + 1), block(x + 1)) : nullptr;
    AttendBlock(a, plan, query(x), cluster(x), block(x), e, after);
  }
}

// Head h of query i takes the value of the first token with the largest score.
HWY_INLINE void MergeHard(const AttendCached& a, const CachedPlan& plan, int64_t i, int64_t h, float top,
                          float* out, float* weights) {
  const int64_t M = a.values.width, part = plan.part(i, h, 0);
  const int64_t best = plan.best[part + (std::find(plan.top + part, plan.top + part + plan.parts(i), top) -
                                         (plan.top + part))];
  const float weight = a.factor && a.factor[i] ? a.factor[i][h * a.factor_stride + best] : 1.0f;
  if (weights) {
    std::fill_n(weights, TokenRange(a, i).last, 0.0f);
    weights[best] = weight;
  }
  CacheRows one = a.values;
  one.heads = 1;
  one.offset += h / (a.H / a.values.heads) * kCachePage * M;
  read_cached_values(one, a.value_pages[i], best, best + 1, out, M);
  if (weight != 1) ScaleRow(weight, M, out);
}

// The context of head h of query i from the parts of its blocks.
void MergeHead(const AttendCached& a, const CachedPlan& plan, int64_t i, int64_t h) {
  const hn::ScalableTag<float> d;
  const TokenRange tokens(a, i);
  const int64_t M = a.values.width, part = plan.part(i, h, 0), blocks = plan.parts(i);
  float* out = a.out + i * a.out_stride + h * M;
  float* weights = a.weights ? a.weights + (i * a.H + h) * a.weights_stride : nullptr;
  const float top = RowMax(d, plan.top + part, blocks);
  std::fill_n(out, M, 0.0f);
  if (top == kHiddenScore) {
    if (weights) std::fill_n(weights, std::max(0, a.last[i]), 0.0f);
    return;
  }
  if (a.hard && top == top) return MergeHard(a, plan, i, h, top, out, weights);
  if (!(top < std::numeric_limits<float>::infinity())) {
    std::fill_n(out, M, std::numeric_limits<float>::quiet_NaN());
    if (!weights) return;
    std::fill_n(weights, tokens.first, 0.0f);
    std::fill_n(weights + tokens.first, tokens.last - tokens.first, std::numeric_limits<float>::quiet_NaN());
    return;
  }
  const auto share = [&](int64_t b) HWY_ATTR {
    return hn::GetLane(Exp2(d, hn::Set(d, (plan.top[part + b] - top) * 1.44269504f)));
  };
  float sum = 0;
  for (int64_t b = 0; b < blocks; ++b) sum += share(b) * plan.sum[part + b];
  if (weights) std::fill_n(weights, tokens.first, 0.0f);
  for (int64_t b = 0; b < blocks; ++b) {
    const float scale = share(b) / sum;
    const float* c = plan.context + (part + b) * plan.width;
    ForVectors(d, M, [&](int64_t, auto load, auto store) HWY_ATTR {
      store(hn::MulAdd(hn::Set(d, scale), load(c), load(out)), out);
    });
    if (!weights) continue;
    const BlockRange range(tokens, tokens.first_block() + b);
    ScaleRow(scale, range.count(), weights + range.first());
  }
}

void MergeHeads(const AttendCached& a, const CachedPlan& plan, int64_t begin, int64_t end) {
  for (int64_t x = begin; x < end; ++x) MergeHead(a, plan, x / a.H, x % a.H);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(AttendUnits);
HWY_EXPORT(MergeHeads);

void attend_cached(const AttendCached& a) {
  if (a.queries == 0) return;
  Scratch scratch;
  const CachedPlan plan(a, scratch);
  parallel_ranges(plan.units(), plan.units_together(), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(AttendUnits)(a, plan, begin, end);
  });
  parallel_ranges(a.queries * a.H, plan.heads_together(), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(MergeHeads)(a, plan, begin, end);
  });
}

}  // namespace fovea::kernels
#endif
