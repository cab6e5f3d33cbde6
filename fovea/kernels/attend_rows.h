// Attention of single queries to keys and values that lie row by row anywhere in memory: the cache of a model that writes word by
// word, whose prefixes share what they have in common.
//   e[h,t] = scale * q[h] . k_t[g]      w[h,:] = softmax(e[h,:])      out[h] = sum_t w[h,t] v_t[g]      g = h / (H / G)
// A query that sees no row reads zeros. A query's result depends on nothing but its own rows.
#pragma once

#include <cstdint>

namespace fovea::kernels {

struct AttendRows {
  int64_t queries = 0, H = 1, G = 1, D = 1;  // G divides H
  float scale = 1;
  const float* q = nullptr;  // [queries, H, D], queries `q_stride` apart
  int64_t q_stride = 0;
  const float* const* const* rows = nullptr;  // rows[i][t]: G * D keys, then G * D values
  const int32_t* counts = nullptr;            // [queries]: how many rows query i sees
  float* out = nullptr;                       // [queries, H, D]
  float* weights = nullptr;  // null, or [queries, H, weights_stride]: w, zeros after the last row
  int64_t weights_stride = 0;
};
void attend_rows(const AttendRows& a);

namespace ref {
void attend_rows(const AttendRows& a);
}

}  // namespace fovea::kernels
