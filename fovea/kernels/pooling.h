// Pooling of pictures x [B, height, width, C] -> y [B, out height, out width, C], each channel by itself.
//   maximum:  y = the largest number in the window; places outside of the picture do not count. NaN is a maximum.
//   average:  y = the sum over the window / the number of its places, those outside (zeros) included
// The same bits on any number of threads: a picture's gradient is summed by one.
#pragma once

#include <cstdint>

#include "fovea/kernels/window.h"

namespace fovea::kernels {

struct PoolingSize {
  int64_t B = 0, channels = 0;
  WindowAxis y, x;
};

// at[b,i,j,c]: the pixel of its picture, row * width + column, that is the maximum; the first of several. Every window has a place inside.
template <typename T>
void max_pool(const PoolingSize& size, const T* x, T* y, int32_t* at);
// dx += dy at the maximum.
template <typename T>
void max_pool_backward(const PoolingSize& size, const int32_t* at, const T* dy, T* dx);

template <typename T>
void average_pool(const PoolingSize& size, const T* x, T* y);
// dx += dy / places.
template <typename T>
void average_pool_backward(const PoolingSize& size, const T* dy, T* dx);

}  // namespace fovea::kernels
