// Rows of a table, looked up by number. ids must lie within the table.
#pragma once

#include <cstdint>

namespace fovea::kernels {

// y[r,:] = table[ids[r],:] for r < n, rows of `cols` elements.
void gather_rows(const float* table, const int32_t* ids, float* y, int64_t n, int64_t cols);
void gather_rows(const double* table, const int32_t* ids, double* y, int64_t n, int64_t cols);

// dtable[ids[r],:] += dy[r,:], in the order of r whatever the number of threads: threads take columns, not
// rows.
void scatter_add_rows(const float* dy, const int32_t* ids, float* dtable, int64_t n, int64_t cols);
void scatter_add_rows(const double* dy, const int32_t* ids, double* dtable, int64_t n, int64_t cols);

namespace ref {
template <typename T>
void gather_rows(const T* table, const int32_t* ids, T* y, int64_t n, int64_t cols) {
  for (int64_t r = 0; r < n; ++r)
    for (int64_t c = 0; c < cols; ++c) y[r * cols + c] = table[ids[r] * cols + c];
}
template <typename T>
void scatter_add_rows(const T* dy, const int32_t* ids, T* dtable, int64_t n, int64_t cols) {
  for (int64_t r = 0; r < n; ++r)
    for (int64_t c = 0; c < cols; ++c) dtable[ids[r] * cols + c] += dy[r * cols + c];
}
}  // namespace ref

inline void gather_rows(const double* table, const int32_t* ids, double* y, int64_t n, int64_t cols) {
  ref::gather_rows(table, ids, y, n, cols);
}
inline void scatter_add_rows(const double* dy, const int32_t* ids, double* dtable, int64_t n, int64_t cols) {
  ref::scatter_add_rows(dy, ids, dtable, n, cols);
}

}  // namespace fovea::kernels
