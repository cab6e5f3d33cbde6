// Rotary positions (Su et al. 2021), paired as Llama and Hugging Face do: element i of a head with i + D/2.
//   y[t,h,i]       = x[t,h,i] cos[p,i]       - x[t,h,i + D/2] sin[p,i]
//   y[t,h,i + D/2] = x[t,h,i + D/2] cos[p,i] + x[t,h,i] sin[p,i]          p = t % positions
// x and y: [tokens, heads, width], width even. cos, sin: [positions, width / 2]; with B sequences of L tokens
// each, positions is L where all sequences start alike, and B L where each token has its own. `inverse`
// rotates back, which is the backward pass. y = beta y + the rotated x; with beta 0, y is not read and may be
// x.
#pragma once

#include <cstdint>

namespace fovea::kernels {

struct RopeShape {
  int64_t tokens, heads, width, positions;
  bool inverse = false;
  int64_t copied = 0;  // so many of the heads, the last ones, are not turned
};

void rope(const float* x, const float* cos, const float* sin, float* y, const RopeShape& shape, float beta);
void rope(const double* x, const double* cos, const double* sin, double* y, const RopeShape& shape,
          double beta);

namespace ref {
template <typename T>
void rope(const T* x, const T* cos, const T* sin, T* y, const RopeShape& shape, T beta);
}  // namespace ref

}  // namespace fovea::kernels
