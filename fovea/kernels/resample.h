// Pictures x [B, height, width, C] at another size, y [B, out height, out width, C].
//   nearest:   y[i,j] = x[floor(i height / out height), floor(j width / out width)]
//   bilinear:  pixels are squares whose centres lie at i + 1/2 (align_corners = false): position p = max(0, (i + 1/2) height / out height - 1/2)
//              lies between rows floor(p) and floor(p) + 1 (the last at most) and takes p - floor(p) of the second; columns alike
#pragma once

#include <cstdint>

namespace fovea::kernels {

enum class Resampling { kNearest, kBilinear };

struct ResampleSize {
  int64_t B = 0, height = 0, width = 0, channels = 0, out_height = 0, out_width = 0;
};

template <typename T>
void resample(Resampling kind, const ResampleSize& size, const T* x, T* y);
// dx += what y took of each pixel, times dy. A picture is summed by one thread.
template <typename T>
void resample_backward(Resampling kind, const ResampleSize& size, const T* dy, T* dx);

}  // namespace fovea::kernels
