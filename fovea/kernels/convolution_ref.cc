#include <vector>

#include "fovea/kernels/convolution.h"

namespace fovea::kernels {
namespace ref {
namespace {

// Calls f(y, x, w) with the offsets of every element of y (without its channel), of the pixel of x that a tap reads there (at the first
// channel of the picture) and of the tap in a filter, where the pixel is inside.
template <typename F>
void for_taps(const ConvolutionSize& s, F&& f) {
  const int64_t rows = s.y.out(), cols = s.x.out();
  for (int64_t b = 0; b < s.B; ++b)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j)
        for (int64_t u = 0; u < s.y.kernel; ++u)
          for (int64_t v = 0; v < s.x.kernel; ++v) {
            const int64_t row = i * s.y.stride + u * s.y.dilation - s.y.padding;
            const int64_t col = j * s.x.stride + v * s.x.dilation - s.x.padding;
            if (row < 0 || row >= s.y.size || col < 0 || col >= s.x.size) continue;
            f(((b * rows + i) * cols + j) * s.out, ((b * s.y.size + row) * s.x.size + col) * s.in,
              (u * s.x.kernel + v) * s.group_in());
          }
}

// Calls f(o, c, w): output channel o reads input channel c by the weight that lies w after its tap.
template <typename F>
void for_channels(const ConvolutionSize& s, F&& f) {
  for (int64_t o = 0; o < s.out; ++o)
    for (int64_t c = 0; c < s.group_in(); ++c)
      f(o, o / s.group_out() * s.group_in() + c, o * s.taps() * s.group_in() + c);
}

template <typename T>
void store(const std::vector<double>& sums, T beta, T* to) {
  for (size_t i = 0; i < sums.size(); ++i)
    to[i] = static_cast<T>((beta == 0 ? 0 : static_cast<double>(beta) * to[i]) + sums[i]);
}

int64_t out_pixels(const ConvolutionSize& s) { return s.B * s.y.out() * s.x.out(); }

}  // namespace

template <typename T>
void convolution(const ConvolutionSize& s, const T* x, const T* w, const T* bias, T* y) {
  std::vector<double> sums(static_cast<size_t>(out_pixels(s) * s.out));
  for (size_t i = 0; bias && i < sums.size(); ++i) sums[i] = bias[i % static_cast<size_t>(s.out)];
  for_taps(s, [&](int64_t at_y, int64_t at_x, int64_t at_w) {
    for_channels(s, [&](int64_t o, int64_t c, int64_t weight) {
      sums[static_cast<size_t>(at_y + o)] += static_cast<double>(x[at_x + c]) * w[at_w + weight];
    });
  });
  store(sums, T{0}, y);
}

template <typename T>
void convolution_backward_input(const ConvolutionSize& s, const T* w, const T* dy, T beta, T* dx) {
  std::vector<double> sums(static_cast<size_t>(s.B * s.y.size * s.x.size * s.in));
  for_taps(s, [&](int64_t at_y, int64_t at_x, int64_t at_w) {
    for_channels(s, [&](int64_t o, int64_t c, int64_t weight) {
      sums[static_cast<size_t>(at_x + c)] += static_cast<double>(dy[at_y + o]) * w[at_w + weight];
    });
  });
  store(sums, beta, dx);
}

template <typename T>
void convolution_backward_weights(const ConvolutionSize& s, const T* x, const T* dy,
                                  const ConvolutionWeightGrads<T>& to) {
  if (to.dw) {
    std::vector<double> sums(static_cast<size_t>(s.weights()));
    for_taps(s, [&](int64_t at_y, int64_t at_x, int64_t at_w) {
      for_channels(s, [&](int64_t o, int64_t c, int64_t weight) {
        sums[static_cast<size_t>(at_w + weight)] += static_cast<double>(dy[at_y + o]) * x[at_x + c];
      });
    });
    store(sums, to.beta_w, to.dw);
  }
  if (to.db) {
    std::vector<double> sums(static_cast<size_t>(s.out));
    for (int64_t i = 0; i < out_pixels(s) * s.out; ++i) sums[static_cast<size_t>(i % s.out)] += dy[i];
    store(sums, to.beta_b, to.db);
  }
}

template void convolution(const ConvolutionSize&, const float*, const float*, const float*, float*);
template void convolution_backward_input(const ConvolutionSize&, const float*, const float*, float, float*);
template void convolution_backward_weights(const ConvolutionSize&, const float*, const float*,
                                           const ConvolutionWeightGrads<float>&);

}  // namespace ref

void convolution(const ConvolutionSize& size, const double* x, const double* w, const double* bias,
                 double* y) {
  ref::convolution(size, x, w, bias, y);
}
void convolution_backward_input(const ConvolutionSize& size, const double* w, const double* dy, double beta,
                                double* dx) {
  ref::convolution_backward_input(size, w, dy, beta, dx);
}
void convolution_backward_weights(const ConvolutionSize& size, const double* x, const double* dy,
                                  const ConvolutionWeightGrads<double>& to) {
  ref::convolution_backward_weights(size, x, dy, to);
}

}  // namespace fovea::kernels
