// Dropout whose mask is a pure function of (seed, stream, position) and is never stored:
//   y[i] = beta y[i] + (bits(i) / 2^16 >= rate ? x[i] / (1 - rate) : 0)
// Two elements share a 32-bit word of Philox (base/random.h), 16 bits each: the probability is a multiple of
// 2^-16, and half as many words are drawn. Of a run of 128 elements, i takes half (i / 64) % 2 of word (i /
// 16) % 4 of counter 16 (i / 128) + i % 16, so that a vector of up to 16 lanes makes neighbouring elements
// from neighbouring counters. rate is in [0, 1); with beta 0, y is not read and may be x.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fovea/base/random.h"

namespace fovea::kernels {

struct DropoutMask {
  float rate;
  uint64_t seed, stream;

  // The smallest bits that are kept.
  int32_t threshold() const { return static_cast<int32_t>(std::lround(std::min(rate * 65536.0, 65535.0))); }
  int32_t bits(int64_t i) const {
    const auto counter = static_cast<uint64_t>(i / 128 * 16 + i % 16);
    const uint32_t word = philox(seed, stream, counter)[static_cast<size_t>(i / 16 % 4)];
    return static_cast<int32_t>(i / 64 % 2 ? word >> 16 : word & 0xFFFF);
  }
  bool keeps(int64_t i) const { return bits(i) >= threshold(); }
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
