// Positions in a sequence as numbers a model can add to, or rotate by.
#pragma once

#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

// [L, E], f32 (Vaswani et al. 2017, section 3.5): position p = first + row,
//   y[p, 2i] = sin(p / 10000^(2i/E)),  y[p, 2i+1] = cos(p / 10000^(2i/E))
// or, in halves, all sines before all cosines, as Marian has them.
enum class Sines : uint8_t { kInterleaved, kHalves };
Tensor sinusoidal_positions(int64_t length, int64_t width, int64_t first = 0,
                            Sines order = Sines::kInterleaved);

// The angles of rotary positions: position p turns pair i of a head of D elements by p / base^(2i/D). Worked
// out in f64, so that far positions are as exact as near ones; made once, it serves every layer and step.
struct RotaryTable {
  Tensor cos, sin;  // [positions, D / 2]
};
RotaryTable rotary_table(int64_t positions, int64_t width, int64_t first = 0, double base = 10000,
                         DType type = DType::kF32);
// One row for each of the given positions, i32 [...].
RotaryTable rotary_table_at(const Tensor& positions, int64_t width, double base = 10000,
                            DType type = DType::kF32);

// x [B, L, H, D] with each head turned by its token's angle; pairs are elements i and i + D/2. The table has
// L rows, which every sequence uses, or B L, one for each token. `turned`: only so many of the heads, the first ones; 0: all.
Tensor rope(const Tensor& x, const RotaryTable& table, int64_t turned = 0);

}  // namespace fovea::tensor
