// Products of a band's positions with packed weights, a panel of output channels at a time. A panel is as many vectors of channels as the
// tile of sums in registers is wide, so its size depends on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fovea/kernels/sliding.h"

namespace fovea::kernels {

// Terms of a sum that run over all positions of a band before the next do. Measured: with fewer, sums that leave registers and come back
// cost more than weights that come from the second-level cache.
inline constexpr int64_t kStretchTerms = 512;

// n channels in panels of nearly equal numbers of vectors. Packed, panel i is [terms, width(i)] after the ones before it, filled up with
// zeros.
struct Panels {
  int64_t n, lanes, vectors, count;

  Panels(int64_t channels, int64_t lanes_of_vector, int64_t most_vectors)
      : n(channels),
        lanes(lanes_of_vector),
        vectors((n + lanes - 1) / lanes),
        count((vectors + most_vectors - 1) / most_vectors) {}
  int64_t column(int64_t i) const { return vectors * i / count * lanes; }
  int64_t width(int64_t i) const { return column(i + 1) - column(i); }
  int64_t columns(int64_t i) const { return std::min(n, column(i + 1)) - column(i); }
  int64_t columns_in_all() const { return vectors * lanes; }
};
// Of this CPU.
Panels panels_of(int64_t channels);

// to[at[i] ..] = bias + beta to[at[i] ..] + sum over the pieces' terms of source[from[i] + ..] packed[..], for each position i.
struct PanelProduct {
  const float* source;
  const int64_t* from;
  const Piece* pieces;
  int64_t piece_count, pixels;
  const float* packed;  // aligned to 64 bytes
  int64_t width, columns;
  const float* bias;  // null: none
  float beta;         // 0: `to` is not read
  float* to;
  const int64_t* at;
};
void panel_product(const PanelProduct& p);

// to[terms, width] (+)= sum over positions i of source[from[i] + ..] dy[i, width].
struct PanelWeights {
  const float* source;
  const int64_t* from;
  const Piece* pieces;
  int64_t piece_count, pixels;
  const float* dy;  // [pixels, width], aligned to 64 bytes
  int64_t width;
  bool is_first;  // `to` is not read
  float* to;      // aligned to 64 bytes
};
void panel_weights(const PanelWeights& p);

}  // namespace fovea::kernels
