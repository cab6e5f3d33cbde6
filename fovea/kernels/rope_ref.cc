#include "fovea/kernels/rope.h"

namespace fovea::kernels {
namespace ref {

template <typename T>
void rope(const T* x, const T* cos, const T* sin, T* y, const RopeShape& shape, T beta) {
  const int64_t half = shape.width / 2;
  for (int64_t t = 0; t < shape.tokens; ++t) {
    const T *c = cos + t % shape.positions * half, *s = sin + t % shape.positions * half;
    for (int64_t h = 0; h < shape.heads; ++h, x += shape.width, y += shape.width) {
      const bool turned = h < shape.heads - shape.copied;
      for (int64_t i = 0; !turned && i < shape.width; ++i)
        y[i] = static_cast<T>((beta == 0 ? 0 : beta * y[i]) + x[i]);
      for (int64_t i = 0; turned && i < half; ++i) {
        const double a = x[i], b = x[i + half], turn = shape.inverse ? -s[i] : s[i];
        y[i] = static_cast<T>((beta == 0 ? 0 : beta * y[i]) + a * c[i] - b * turn);
        y[i + half] = static_cast<T>((beta == 0 ? 0 : beta * y[i + half]) + b * c[i] + a * turn);
      }
    }
  }
}

template void rope(const float*, const float*, const float*, float*, const RopeShape&, float);

}  // namespace ref

void rope(const double* x, const double* cos, const double* sin, double* y, const RopeShape& shape,
          double beta) {
  ref::rope(x, cos, sin, y, shape, beta);
}

}  // namespace fovea::kernels
