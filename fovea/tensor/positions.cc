#include "fovea/tensor/positions.h"

#include <cmath>

#include "fovea/kernels/rope.h"
#include "fovea/tensor/rope_shape.h"

namespace fovea::tensor {
namespace {

// position(row) gives the position of a row.
template <typename F>
RotaryTable make_table(int64_t rows, int64_t width, double base, DType type, F&& position) {
  check(width >= 0 && width % 2 == 0, "rope", "heads are {} wide: expected an even number", width);
  check(base > 0, "rope", "the base is {}: expected more than 0", base);
  const int64_t half = width / 2;
  RotaryTable table{Tensor::empty({rows, half}, type), Tensor::empty({rows, half}, type)};
  for_float(type, "rope", [&](auto t) {
    using T = decltype(t);
    T *cos = table.cos.data<T>(), *sin = table.sin.data<T>();
    for (int64_t i = 0; i < half; ++i) {
      const double frequency = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
      for (int64_t row = 0; row < rows; ++row) {
        const double angle = static_cast<double>(position(row)) * frequency;
        cos[row * half + i] = static_cast<T>(std::cos(angle));
        sin[row * half + i] = static_cast<T>(std::sin(angle));
      }
    }
  });
  return table;
}

}  // namespace

Tensor sinusoidal_positions(int64_t length, int64_t width, int64_t first, Sines order) {
  Tensor y = Tensor::empty({length, width});
  float* to = y.data<float>();
  for (int64_t c = 0; c < width; ++c) {
    const double frequency = std::pow(10000.0, -static_cast<double>(c / 2 * 2) / static_cast<double>(width));
    for (int64_t row = 0; row < length; ++row) {
      const double angle = static_cast<double>(first + row) * frequency;
      const int64_t place = order == Sines::kInterleaved ? c : c / 2 + (c % 2 ? (width + 1) / 2 : 0);
      to[row * width + place] = static_cast<float>(c % 2 ? std::cos(angle) : std::sin(angle));
    }
  }
  return y;
}

RotaryTable rotary_table(int64_t positions, int64_t width, int64_t first, double base, DType type) {
  return make_table(positions, width, base, type, [&](int64_t row) { return first + row; });
}

RotaryTable rotary_table_at(const Tensor& positions, int64_t width, double base, DType type) {
  check(positions.defined() && positions.dtype() == DType::kI32, "rope", "positions are not i32");
  const int32_t* at = positions.data<int32_t>();
  return make_table(positions.size(), width, base, type, [&](int64_t row) { return at[row]; });
}

Tensor rope(const Tensor& x, const RotaryTable& table, int64_t turned) {
  const kernels::RopeShape shape = rope_shape(x, table, turned);
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  for_float(x.dtype(), "rope", [&](auto t) {
    using T = decltype(t);
    kernels::rope(x.data<T>(), table.cos.data<T>(), table.sin.data<T>(), y.data<T>(), shape, T{0});
  });
  return y;
}

}  // namespace fovea::tensor
