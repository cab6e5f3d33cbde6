// Attention of single queries to keys and values in the pages of a cache (cache_page.h): a decode step. For query i, head h and tokens j
// with first[i] <= j < last[i]:
//
//   e[h,j] = score(q[i,h], k_j) + bias[i,h,j]
//   w[h,:] = softmax(e[h,:]), times factor[i,h,:]         hard: 1 (times factor) at the first largest score, 0 elsewhere
//   out[i,h] = sum_j w[h,j] v_j
//
// Head h reads key head h / (H / Gk) and value head h / (H / Gv). A bias of -inf hides a token: whatever its places hold, NaN included,
// nothing of it is read. A query that sees no token reads zeros. A query's result has the same bits whatever other queries are in the
// call, and on any number of threads.
#pragma once

#include <cstdint>

#include "fovea/kernels/cache_page.h"

namespace fovea::kernels {

enum class CachedScore : uint8_t {
  kDot,       // scale * q.k
  kAdditive,  // u.tanh(q + k)
  kGiven      // 0: the score is the bias alone; q and keys are not looked at
};

struct AttendCached {
  int64_t queries = 0, H = 1;
  CachedScore score = CachedScore::kDot;
  float scale = 1;
  const float* u =
      nullptr;  // additive: vectors of keys.width, `u_stride` apart for each head; 0: one for all
  int64_t u_stride = 0;
  const float* q = nullptr;  // query i, head h at q + i * q_stride + h * keys.width
  int64_t q_stride = 0;
  CacheRows keys, values;                           // Gk = keys.heads and Gv = values.heads divide H
  const void* const* const* key_pages = nullptr;    // key_pages[i][p]: page p of query i
  const void* const* const* value_pages = nullptr;  // may be key_pages, with offsets apart
  const int32_t *first = nullptr, *last = nullptr;  // first null: 0
  const float* const* bias = nullptr;               // null, or bias[i] null, or bias[i][h * bias_stride + j]
  int64_t bias_stride = 0;
  const float* const* factor = nullptr;  // the same; finite
  int64_t factor_stride = 0;
  bool hard = false;
  float* out = nullptr;  // query i, head h at out + i * out_stride + h * values.width
  int64_t out_stride = 0;
  float* weights =
      nullptr;  // null, or w at weights + (i * H + h) * weights_stride + j for 0 <= j < last[i]; 0 where hidden
  int64_t weights_stride = 0;
};
void attend_cached(const AttendCached& a);

namespace ref {  // plain loops, sums in double
void attend_cached(const AttendCached& a);
}

}  // namespace fovea::kernels
