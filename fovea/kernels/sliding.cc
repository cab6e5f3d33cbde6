#include "fovea/kernels/sliding.h"

#include <algorithm>
#include <numeric>

namespace fovea::kernels {
namespace {

int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Rows and columns of the source that a band reads, of `pictures` pictures, with zeros around.
float* padded_copy(const Sliding& window, const SlidingSource& source, const Band& band, int64_t rows,
                   int64_t cols, Scratch& scratch) {
  const int64_t C = source.channels, height = window.y.source_size, width = window.x.source_size;
  float* copy = scratch.take<float>((band.b_end - band.b) * rows * cols * C);
  const int64_t left = std::clamp<int64_t>(-window.x.source_first, 0, cols);
  const int64_t first = window.x.source_first + left;
  const int64_t inside = std::clamp<int64_t>(width - first, 0, cols - left);
  const int64_t top = window.y.source_first + band.row * window.y.source_step;
  float* to = copy;
  for (int64_t b = band.b; b < band.b_end; ++b)
    for (int64_t r = 0; r < rows; ++r, to += cols * C) {
      const int64_t row = top + r;
      if (row < 0 || row >= height || inside == 0) {
        std::fill_n(to, cols * C, 0.0f);
        continue;
      }
      std::fill_n(to, left * C, 0.0f);
      const float* from = source.data + ((b * height + row) * width + first) * source.pitch;
      if (source.pitch == C)
        std::copy_n(from, inside * C, to + left * C);
      else
        for (int64_t j = 0; j < inside; ++j) std::copy_n(from + j * source.pitch, C, to + (left + j) * C);
      std::fill_n(to + (left + inside) * C, (cols - left - inside) * C, 0.0f);
    }
  return copy;
}

}  // namespace

SlidingAxis forward_axis(const WindowAxis& a) {
  return {.outputs = a.out(),
          .out_size = a.out(),
          .taps = a.kernel,
          .source_size = a.size,
          .source_first = -a.padding,
          .source_step = a.stride,
          .tap_distance = a.dilation};
}

// Position p was read by tap u at output n where n stride + u dilation = p + padding. With p + padding = remainder + stride t, that is
// n = t - (u dilation - remainder) / stride, for the taps u for which it divides: every (stride / gcd)-th one, dilation / gcd apart.
SlidingAxis backward_axis(const WindowAxis& a, int64_t remainder) {
  SlidingAxis axis{.out_size = a.size, .out_step = a.stride, .source_size = a.out()};
  const int64_t divisor = std::gcd(a.stride, a.dilation), every = a.stride / divisor;
  const int64_t t = divided_up(std::max<int64_t>(0, a.padding - remainder), a.stride);
  axis.out_first = remainder - a.padding + a.stride * t;
  axis.outputs = axis.out_first < a.size ? (a.size - 1 - axis.out_first) / a.stride + 1 : 0;
  int64_t first = 0;
  while (first < every && (first * a.dilation) % a.stride != remainder) ++first;
  if (first == every || first >= a.kernel) return axis;  // no tap reads these places
  axis.taps = (a.kernel - 1 - first) / every + 1;
  axis.tap_first = first + (axis.taps - 1) * every;
  axis.tap_step = -every;
  axis.tap_distance = a.dilation / divisor;
  axis.source_first = t - (axis.tap_first * a.dilation - remainder) / a.stride;
  return axis;
}

Bands::Bands(const Sliding& window, int64_t pixels)
    : B_(window.B), height_(window.y.outputs), cols_(window.x.outputs) {
  const int64_t picture = height_ * cols_;
  if (B_ == 0 || picture == 0) return;
  if (picture > pixels) {
    in_picture_ = divided_up(height_, std::max<int64_t>(1, pixels / cols_));
    rows_ = divided_up(height_, in_picture_);
    in_picture_ = divided_up(height_, rows_);
    count_ = B_ * in_picture_;
  } else {
    const int64_t groups = divided_up(B_, std::max<int64_t>(1, pixels / picture));
    pictures_ = divided_up(B_, groups);
    rows_ = height_;
    count_ = divided_up(B_, pictures_);
  }
}

Band Bands::operator[](int64_t i) const {
  const int64_t b = i / in_picture_ * pictures_, row = i % in_picture_ * rows_;
  return {b, std::min(B_, b + pictures_), row, std::min(height_, row + rows_)};
}

BandSource read_band(const Sliding& window, const SlidingSource& source, const Band& band, int64_t longest,
                     Scratch& scratch) {
  const SlidingAxis &y = window.y, &x = window.x;
  const int64_t C = source.channels, band_rows = band.row_end - band.row;
  const bool copied = !y.stays_inside() || !x.stays_inside();
  const int64_t rows = copied ? y.span(band_rows) : y.source_size,
                cols = copied ? x.span(x.outputs) : x.source_size;
  const int64_t pixel = copied ? C : source.pitch;
  BandSource read{.data = source.data, .from = nullptr, .pieces = nullptr, .piece_count = 0, .pixels = 0};
  int64_t start =
      ((band.b * rows + y.source_first + band.row * y.source_step) * cols + x.source_first) * pixel;
  if (copied) {
    read.data = padded_copy(window, source, band, rows, cols, scratch);
    start = 0;
  }
  read.pixels = band.rows() * x.outputs;
  read.from = scratch.take<int64_t>(read.pixels);
  int64_t* from = read.from;
  for (int64_t b = 0; b < band.b_end - band.b; ++b)
    for (int64_t i = 0; i < band_rows; ++i) {
      const int64_t row = start + (b * rows + i * y.source_step) * cols * pixel;
      for (int64_t j = 0; j < x.outputs; ++j) *from++ = row + j * x.source_step * pixel;
    }
  // Taps side by side are one run where their channels are.
  const bool together = x.tap_distance == 1 && pixel == C;
  const int64_t run = together ? x.taps * C : C, runs = y.taps * (together ? 1 : x.taps);
  const int64_t cuts = divided_up(run, longest);
  read.pieces = scratch.take<Piece>(runs * cuts);
  for (int64_t r = 0; r < runs; ++r) {
    const int64_t tap_y = together ? r : r / x.taps, tap_x = together ? 0 : r % x.taps;
    const int64_t offset = (tap_y * y.tap_distance * cols + tap_x * x.tap_distance) * pixel;
    for (int64_t k = 0; k < cuts; ++k) {
      const int64_t begin = run * k / cuts;
      read.pieces[read.piece_count++] = {offset + begin, run * (k + 1) / cuts - begin};
    }
  }
  return read;
}

}  // namespace fovea::kernels
