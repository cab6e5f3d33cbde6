// Normalisation of channels: batch norm (Ioffe and Szegedy 2015) and group norm (Wu and He 2018). x [S, n, C] is S segments of n pixels; its
// channels are in G groups, and every segment and group has a mean and a variance of its own:
//   y[s,i,c] = (x[s,i,c] - mean[s,g]) rstd[s,g] gain[c] + bias[c],   g = c / (C/G),   rstd = 1 / sqrt(variance + eps)
// Batch norm is one segment, all pixels of all pictures, with a group a channel (S = 1, G = C); group norm has a segment a picture.
// Sums are made in blocks that depend on the sizes only: the same bits on any number of threads.
#pragma once

#include <cstdint>

namespace fovea::kernels {

struct ChannelNormSize {
  int64_t segments = 0, pixels = 0, channels = 0, groups = 1;

  int64_t in_group() const { return channels / groups; }
};

// mean and variance [S, G]; the variance is that of the numbers given (divided by their count). Pixels and channels are not 0.
template <typename T>
void channel_statistics(const ChannelNormSize& size, const T* x, T* mean, T* variance);

// gain and bias [C].
template <typename T>
void channel_norm(const ChannelNormSize& size, const T* x, const T* mean, const T* variance, const T* gain,
                  const T* bias, double eps, T* y);

// With xhat = (x - mean) rstd and h = dy gain, means over a segment's group:
//   dx    = beta dx + rstd (h - mean(h) - xhat mean(h xhat)),  or beta dx + rstd h where the statistics were `given`
//   dgain = beta_gain dgain + sum_{s,i} dy xhat,   dbias = beta_bias dbias + sum_{s,i} dy
// Each may be null; none is read where its beta is 0.
template <typename T>
struct ChannelNormBackward {
  const T* x = nullptr;
  const T* mean = nullptr;
  const T* variance = nullptr;
  const T* gain = nullptr;
  const T* dy = nullptr;
  bool given = false;
  double eps = 1e-5;
  T* dx = nullptr;
  T* dgain = nullptr;
  T* dbias = nullptr;
  T beta = 0, beta_gain = 0, beta_bias = 0;
};
template <typename T>
void channel_norm_backward(const ChannelNormSize& size, const ChannelNormBackward<T>& a);

}  // namespace fovea::kernels
