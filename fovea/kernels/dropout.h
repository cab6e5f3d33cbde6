// Dropout whose mask is a pure function of (seed, stream, position) and is never stored:
//   y[i] = beta y[i] + (bits(i) / 2^32 >= rate ? x[i] / (1 - rate) : 0)
// bits(i) are those of Philox (base/random.h): element i of a run of 64 takes word (i / 16) % 4 of counter
// 16 (i / 64) + i % 16, so that a vector of up to 16 lanes makes neighbouring elements from neighbouring
// counters. Decided on the upper 24 bits. rate is in [0, 1); with beta 0, y is not read and may be x.
#pragma once

#include <cstdint>

#include "fovea/base/random.h"

namespace fovea::kernels {

struct DropoutMask {
  float rate;
  uint64_t seed, stream;

  // The smallest value of (bits >> 8) that is kept.
  int32_t threshold() const { return static_cast<int32_t>(static_cast<double>(rate) * 0x1p24 + 0.5); }
  uint32_t bits(int64_t i) const {
    const auto counter = static_cast<uint64_t>(i / 64 * 16 + i % 16);
    return philox(seed, stream, counter)[static_cast<size_t>(i / 16 % 4)];
  }
  bool keeps(int64_t i) const { return static_cast<int32_t>(bits(i) >> 8) >= threshold(); }
};

void dropout(const float* x, float* y, int64_t n, const DropoutMask& mask, float beta);
void dropout(const double* x, double* y, int64_t n, const DropoutMask& mask, double beta);

namespace ref {
template <typename T>
void dropout(const T* x, T* y, int64_t n, const DropoutMask& mask, T beta) {
  const T scale = T{1} / (T{1} - static_cast<T>(mask.rate));
  for (int64_t i = 0; i < n; ++i)
    y[i] = (beta == 0 ? T{0} : beta * y[i]) + (mask.keeps(i) ? x[i] * scale : T{0});
}
}  // namespace ref

inline void dropout(const double* x, double* y, int64_t n, const DropoutMask& mask, double beta) {
  ref::dropout(x, y, n, mask, beta);
}

}  // namespace fovea::kernels
