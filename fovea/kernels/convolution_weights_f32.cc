#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/kernels/convolution.h"
#include "fovea/kernels/convolution_depthwise.h"
#include "fovea/kernels/sliding_panels.h"
#include "fovea/kernels/transpose.h"

namespace fovea::kernels {
namespace {

// Positions are summed in parts, and the parts' sums are added in order. Their number depends on the sizes only: more parts keep more
// threads busy, and cost memory.
struct Parts {
  Parts(const Bands& bands, const Panels& panels, int64_t depth)
      : depth(depth), columns(panels.columns_in_all()) {
    constexpr int64_t kEnough = 8;
    count = std::clamp<int64_t>((kEnough + panels.count - 1) / panels.count, 1,
                                std::max<int64_t>(1, bands.count()));
  }
  int64_t depth, columns, count = 1;
};

// dy [pixels, width] of a panel's channels, filled up with zeros, and the sums of its columns added to `sums` where those are wanted.
void copy_panel(const float* dy, int64_t pitch, int64_t pixels, int64_t width, int64_t columns, float* to,
                double* sums) {
  for (int64_t i = 0; i < pixels; ++i) {
    std::copy_n(dy + i * pitch, columns, to + i * width);
    std::fill_n(to + i * width + columns, width - columns, 0.0f);
  }
  if (!sums) return;
  Scratch scratch;
  float* row = scratch.take<float>(width);
  std::fill_n(row, width, 0.0f);
  for (int64_t i = 0; i < pixels; ++i)
    for (int64_t c = 0; c < width; ++c) row[c] += to[i * width + c];
  for (int64_t c = 0; c < columns; ++c) sums[c] += static_cast<double>(row[c]);
}

// dw [channels, depth] from the parts' sums, which are panels of [depth, channels].
void gather_weights(const Parts& parts, const Panels& panels, float* sums, float beta, float* dw) {
  constexpr int64_t kTerms = 64;
  const int64_t depth = parts.depth, blocks = (depth + kTerms - 1) / kTerms;
  parallel_for(panels.count * blocks, [&](int64_t unit) {
    const int64_t p = unit / blocks, first = unit % blocks * kTerms, terms = std::min(kTerms, depth - first);
    const int64_t width = panels.width(p), columns = panels.columns(p), n = terms * width;
    float* sum = sums + panels.column(p) * depth + first * width;
    for (int64_t part = 1; part < parts.count; ++part) {
      const float* more = sum + part * depth * parts.columns;
      for (int64_t i = 0; i < n; ++i) sum[i] += more[i];
    }
    float* to = dw + panels.column(p) * depth + first;
    if (beta == 0) return transpose(sum, width, to, depth, terms, columns);
    Scratch scratch;
    float* turned = scratch.take<float>(columns * terms);
    transpose(sum, width, turned, terms, terms, columns);
    for (int64_t o = 0; o < columns; ++o)
      for (int64_t k = 0; k < terms; ++k)
        to[o * depth + k] = beta * to[o * depth + k] + turned[o * terms + k];
  });
}

// One group's weights; dy, dw and db start at its first output channel.
void group_weights(const ConvolutionSize& s, const SlidingSource& source, const float* dy,
                   const ConvolutionWeightGrads<float>& to) {
  const Sliding window{s.B, forward_axis(s.y), forward_axis(s.x)};
  constexpr int64_t kPixels = 128;
  const Bands bands(window, kPixels);
  const Panels panels = panels_of(s.group_out());
  const Parts parts(bands, panels, s.taps() * s.group_in());
  Scratch scratch;
  float* sums = scratch.take<float>(to.dw ? parts.count * parts.depth * parts.columns : 0);
  double* bias_sums = scratch.take<double>(parts.count * parts.columns);
  std::fill_n(bias_sums, parts.count * parts.columns, 0.0);
  parallel_for(parts.count * panels.count, [&](int64_t unit) {
    const int64_t part = unit / panels.count, p = unit % panels.count, width = panels.width(p);
    const int64_t begin = bands.count() * part / parts.count, end = bands.count() * (part + 1) / parts.count;
    for (int64_t i = begin; i < end; ++i) {
      const Band band = bands[i];
      Scratch inner;
      const int64_t pixels = band.rows() * window.x.outputs;
      const int64_t pixel = (band.b * window.y.outputs + band.row) * window.x.outputs;
      float* panel = inner.take<float>(pixels * width);
      copy_panel(dy + pixel * s.out + panels.column(p), s.out, pixels, width, panels.columns(p), panel,
                 to.db ? bias_sums + part * parts.columns + panels.column(p) : nullptr);
      if (!to.dw) continue;
      const BandSource read = read_band(window, source, band, parts.depth, inner);
      panel_weights({.source = read.data,
                     .from = read.from,
                     .pieces = read.pieces,
                     .piece_count = read.piece_count,
                     .pixels = pixels,
                     .dy = panel,
                     .width = width,
                     .is_first = i == begin,
                     .to = sums + part * parts.depth * parts.columns + panels.column(p) * parts.depth});
    }
  });
  if (to.dw) gather_weights(parts, panels, sums, to.beta_w, to.dw);
  for (int64_t o = 0; to.db && o < s.group_out(); ++o) {
    double sum = to.beta_b == 0 ? 0 : static_cast<double>(to.beta_b) * static_cast<double>(to.db[o]);
    for (int64_t part = 0; part < parts.count; ++part) sum += bias_sums[part * parts.columns + o];
    to.db[o] = static_cast<float>(sum);
  }
}

// beta data, without reading it where beta is 0.
void scale_sums(float* data, int64_t n, float beta) {
  for (int64_t i = 0; data && i < n; ++i) data[i] = beta == 0 ? 0 : beta * data[i];
}

}  // namespace

void convolution_backward_weights(const ConvolutionSize& s, const float* x, const float* dy,
                                  const ConvolutionWeightGrads<float>& to) {
  if (s.B * s.y.out() * s.x.out() == 0) {
    scale_sums(to.dw, s.weights(), to.beta_w);
    return scale_sums(to.db, s.out, to.beta_b);
  }
  if (is_depthwise(s)) return depthwise_backward_weights(s, x, dy, to);
  for (int64_t g = 0; g < s.groups; ++g) {
    const int64_t o = g * s.group_out();
    group_weights(s, {x + g * s.group_in(), s.in, s.group_in()}, dy + o,
                  {.dw = to.dw ? to.dw + o * s.taps() * s.group_in() : nullptr,
                   .db = to.db ? to.db + o : nullptr,
                   .beta_w = to.beta_w,
                   .beta_b = to.beta_b});
  }
}

}  // namespace fovea::kernels
