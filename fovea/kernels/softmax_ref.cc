#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/kernels/softmax.h"

namespace fovea::kernels {
namespace ref {
namespace {

template <typename T>
bool all_hidden(const T* x, int64_t cols) {
  return std::all_of(x, x + cols, [](T v) { return v == -std::numeric_limits<T>::infinity(); });
}

}  // namespace

template <typename T>
void softmax_rows(const T* x, T* y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double max = -std::numeric_limits<double>::infinity();
    for (int64_t c = 0; c < cols; ++c) max = std::max<double>(max, x[c]);
    const bool hidden = all_hidden(x, cols);
    double sum = 0;
    for (int64_t c = 0; c < cols; ++c) sum += hidden ? 0 : std::exp(x[c] - max);
    for (int64_t c = 0; c < cols; ++c) y[c] = hidden ? T{0} : static_cast<T>(std::exp(x[c] - max) / sum);
  }
}

template <typename T>
void softmax_rows_backward(const T* y, const T* dy, T* dx, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r, y += cols, dy += cols, dx += cols) {
    double dot = 0;
    for (int64_t c = 0; c < cols; ++c) dot += static_cast<double>(y[c]) * dy[c];
    for (int64_t c = 0; c < cols; ++c) dx[c] += static_cast<T>(y[c] * (dy[c] - dot));
  }
}

template <typename T>
void log_softmax_rows(const T* x, T* y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double max = -std::numeric_limits<double>::infinity();
    for (int64_t c = 0; c < cols; ++c) max = std::max<double>(max, x[c]);
    const bool hidden = all_hidden(x, cols);
    double sum = 0;
    for (int64_t c = 0; c < cols; ++c) sum += hidden ? 0 : std::exp(x[c] - max);
    for (int64_t c = 0; c < cols; ++c)
      y[c] = hidden ? static_cast<T>(max) : static_cast<T>(x[c] - max - std::log(sum));
  }
}

template <typename T>
void log_softmax_rows_backward(const T* y, const T* dy, T* dx, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r, y += cols, dy += cols, dx += cols) {
    double sum = 0;
    for (int64_t c = 0; c < cols; ++c) sum += dy[c];
    for (int64_t c = 0; c < cols; ++c)
      dx[c] += static_cast<T>(dy[c] - std::exp(static_cast<double>(y[c])) * sum);
  }
}

template void softmax_rows(const float*, float*, int64_t, int64_t);
template void softmax_rows_backward(const float*, const float*, float*, int64_t, int64_t);
template void log_softmax_rows(const float*, float*, int64_t, int64_t);
template void log_softmax_rows_backward(const float*, const float*, float*, int64_t, int64_t);

}  // namespace ref

void softmax_rows(const double* x, double* y, int64_t rows, int64_t cols) {
  ref::softmax_rows(x, y, rows, cols);
}
void softmax_rows_backward(const double* y, const double* dy, double* dx, int64_t rows, int64_t cols) {
  ref::softmax_rows_backward(y, dy, dx, rows, cols);
}
void log_softmax_rows(const double* x, double* y, int64_t rows, int64_t cols) {
  ref::log_softmax_rows(x, y, rows, cols);
}
void log_softmax_rows_backward(const double* y, const double* dy, double* dx, int64_t rows, int64_t cols) {
  ref::log_softmax_rows_backward(y, dy, dx, rows, cols);
}

}  // namespace fovea::kernels
