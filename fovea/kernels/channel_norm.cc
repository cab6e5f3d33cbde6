#include "fovea/kernels/channel_norm.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/blocks.h"

namespace fovea::kernels {
namespace {

// sums[s, c] = sum_i of what `add(s, row, acc)` adds to acc[c] for the row-th pixel of all; acc has kSums arrays of C, and so has sums: [S,
// kSums, C]. Short runs are summed in T, and their sums in f64.
template <int kSums, typename T, typename Add>
void channel_sums(const ChannelNormSize& size, double* sums, Add&& add) {
  constexpr int64_t kRun = 64, kPart = 1024;  // pixels
  const int64_t width = kSums * size.channels, parts = (size.pixels + kPart - 1) / kPart;
  Scratch scratch;
  double* of_parts = scratch.take<double>(size.segments * parts * width);
  parallel_for(size.segments * parts, [&](int64_t unit) {
    const int64_t s = unit / parts, begin = unit % parts * kPart, end = std::min(size.pixels, begin + kPart);
    Scratch inner;
    T* run = inner.take<T>(width);
    double* part = of_parts + unit * width;
    std::fill_n(part, width, 0.0);
    for (int64_t first = begin; first < end; first += kRun) {
      std::fill_n(run, width, T{0});
      for (int64_t i = first; i < std::min(end, first + kRun); ++i) add(s, s * size.pixels + i, run);
      for (int64_t k = 0; k < width; ++k) part[k] += static_cast<double>(run[k]);
    }
  });
  for (int64_t s = 0; s < size.segments; ++s)
    for (int64_t k = 0; k < width; ++k) {
      double sum = 0;
      for (int64_t part = 0; part < parts; ++part) sum += of_parts[(s * parts + part) * width + k];
      sums[s * width + k] = sum;
    }
}

// Calls f(s, pixel) for every pixel of every segment, pixel counting on.
template <typename F>
void for_pixels(const ChannelNormSize& size, F&& f) {
  parallel_ranges(size.segments * size.pixels, rows_per_block(size.channels),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) f(i / size.pixels, i);
                  });
}

template <typename T>
double rstd_of(T variance, double eps) {
  return 1 / std::sqrt(static_cast<double>(variance) + eps);
}

template <typename T>
void set(T& to, T beta, double sum) {
  to = static_cast<T>((beta == 0 ? 0 : static_cast<double>(beta) * static_cast<double>(to)) + sum);
}

}  // namespace

template <typename T>
void channel_statistics(const ChannelNormSize& size, const T* x, T* mean, T* variance) {
  const int64_t C = size.channels, G = size.groups, wide = size.in_group();
  const double count = static_cast<double>(size.pixels * wide);
  Scratch scratch;
  double* sums = scratch.take<double>(size.segments * C);
  T* centre = scratch.take<T>(size.segments * C);  // the mean, for each channel
  const auto to_groups = [&](T* to) {
    for (int64_t g = 0; g < size.segments * G; ++g) {
      double sum = 0;
      for (int64_t c = g * wide; c < (g + 1) * wide; ++c) sum += sums[c];
      to[g] = static_cast<T>(sum / count);
    }
  };
  channel_sums<1, T>(size, sums, [&](int64_t, int64_t i, T* sum) {
    for (int64_t c = 0; c < C; ++c) sum[c] += x[i * C + c];
  });
  to_groups(mean);
  for (int64_t k = 0; k < size.segments * C; ++k) centre[k] = mean[k / wide];
  channel_sums<1, T>(size, sums, [&](int64_t s, int64_t i, T* sum) {
    for (int64_t c = 0; c < C; ++c) {
      const T away = x[i * C + c] - centre[s * C + c];
      sum[c] += away * away;
    }
  });
  to_groups(variance);
}

template <typename T>
void channel_norm(const ChannelNormSize& size, const T* x, const T* mean, const T* variance, const T* gain,
                  const T* bias, double eps, T* y) {
  const int64_t C = size.channels, n = size.segments * C, wide = size.in_group();
  Scratch scratch;
  T* centre = scratch.take<T>(n);
  T* scale = scratch.take<T>(n);
  for (int64_t k = 0; k < n; ++k) {
    centre[k] = mean[k / wide];
    scale[k] = static_cast<T>(rstd_of(variance[k / wide], eps) * static_cast<double>(gain[k % C]));
  }
  for_pixels(size, [&](int64_t s, int64_t i) {
    for (int64_t c = 0; c < C; ++c)
      y[i * C + c] = (x[i * C + c] - centre[s * C + c]) * scale[s * C + c] + bias[c];
  });
}

template <typename T>
void channel_norm_backward(const ChannelNormSize& size, const ChannelNormBackward<T>& a) {
  const int64_t C = size.channels, n = size.segments * C, wide = size.in_group();
  Scratch scratch;
  T* centre = scratch.take<T>(n);
  for (int64_t k = 0; k < n; ++k) centre[k] = a.mean[k / wide];
  double* sums = scratch.take<double>(2 * n);  // [S, 2, C]: of dy, and of dy (x - mean)
  channel_sums<2, T>(size, sums, [&](int64_t s, int64_t i, T* sum) {
    for (int64_t c = 0; c < C; ++c) {
      const T dy = a.dy[i * C + c];
      sum[c] += dy;
      sum[C + c] += dy * (a.x[i * C + c] - centre[s * C + c]);
    }
  });
  const auto of_dy = [&](int64_t s, int64_t c) { return sums[2 * s * C + c]; };
  const auto of_product = [&](int64_t s, int64_t c) {  // sum of dy xhat
    return sums[(2 * s + 1) * C + c] * rstd_of(a.variance[(s * C + c) / wide], a.eps);
  };
  for (int64_t c = 0; c < C; ++c) {
    double gain = 0, bias = 0;
    for (int64_t s = 0; s < size.segments; ++s) {
      gain += of_product(s, c);
      bias += of_dy(s, c);
    }
    if (a.dgain) set(a.dgain[c], a.beta_gain, gain);
    if (a.dbias) set(a.dbias[c], a.beta_bias, bias);
  }
  if (!a.dx) return;
  // dx = scale dy - slope (x - mean) - shift
  T* scale = scratch.take<T>(n);
  T* slope = scratch.take<T>(n);
  T* shift = scratch.take<T>(n);
  const double count = static_cast<double>(size.pixels * wide);
  for (int64_t g = 0; g < size.segments * size.groups; ++g) {
    double h = 0, product = 0;
    for (int64_t k = g * wide; k < (g + 1) * wide; ++k) {
      h += of_dy(k / C, k % C) * static_cast<double>(a.gain[k % C]);
      product += of_product(k / C, k % C) * static_cast<double>(a.gain[k % C]);
    }
    const double rstd = rstd_of(a.variance[g], a.eps);
    for (int64_t k = g * wide; k < (g + 1) * wide; ++k) {
      scale[k] = static_cast<T>(rstd * static_cast<double>(a.gain[k % C]));
      slope[k] = static_cast<T>(a.given ? 0 : rstd * rstd * product / count);
      shift[k] = static_cast<T>(a.given ? 0 : rstd * h / count);
    }
  }
  for_pixels(size, [&](int64_t s, int64_t i) {
    const T *x = a.x + i * C, *dy = a.dy + i * C;
    T* dx = a.dx + i * C;
    for (int64_t c = 0; c < C; ++c) {
      const int64_t k = s * C + c;
      const T d = scale[k] * dy[c] - slope[k] * (x[c] - centre[k]) - shift[k];
      dx[c] = a.beta == 0 ? d : a.beta * dx[c] + d;
    }
  });
}

template void channel_statistics(const ChannelNormSize&, const float*, float*, float*);
template void channel_statistics(const ChannelNormSize&, const double*, double*, double*);
template void channel_norm(const ChannelNormSize&, const float*, const float*, const float*, const float*,
                           const float*, double, float*);
template void channel_norm(const ChannelNormSize&, const double*, const double*, const double*, const double*,
                           const double*, double, double*);
template void channel_norm_backward(const ChannelNormSize&, const ChannelNormBackward<float>&);
template void channel_norm_backward(const ChannelNormSize&, const ChannelNormBackward<double>&);

}  // namespace fovea::kernels
