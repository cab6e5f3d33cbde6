#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/kernels/convolution.h"
#include "fovea/kernels/convolution_depthwise.h"
#include "fovea/kernels/convolution_scatter.h"
#include "fovea/kernels/convolution_winograd.h"
#include "fovea/kernels/sliding_panels.h"
#include "fovea/kernels/transpose.h"

namespace fovea::kernels {
namespace {

// Channels of an output picture that a product writes.
struct Target {
  float* data;
  int64_t pitch, channels;
  const float* bias;
  float beta;
};

// Where the positions of a band lie in the output.
const int64_t* positions(const Sliding& window, const Band& band, int64_t pitch, Scratch& scratch) {
  const SlidingAxis &y = window.y, &x = window.x;
  int64_t* at = scratch.take<int64_t>(band.rows() * x.outputs);
  int64_t n = 0;
  for (int64_t b = band.b; b < band.b_end; ++b)
    for (int64_t i = band.row; i < band.row_end; ++i) {
      const int64_t row = (b * y.out_size + y.out_first + i * y.out_step) * x.out_size + x.out_first;
      for (int64_t j = 0; j < x.outputs; ++j) at[n++] = (row + j * x.out_step) * pitch;
    }
  return at;
}

// `packed`: [terms, channels] in panels.
void slide(const Sliding& window, const SlidingSource& source, const float* packed, const Panels& panels,
           const Target& to) {
  const int64_t depth = window.depth(source.channels);
  constexpr int64_t kWork = 1 << 21, kFewest = 192, kMost = 1024;  // multiply-adds and positions of a band
  const Bands bands(window, std::clamp(kWork / (depth * panels.columns_in_all()), kFewest, kMost));
  constexpr int64_t kEnough = 8;  // units, so that no thread waits long for the last
  const int64_t splits =
      std::min(panels.count, (kEnough + bands.count() - 1) / std::max<int64_t>(1, bands.count()));
  parallel_for(bands.count() * splits, [&](int64_t unit) {
    const Band band = bands[unit / splits];
    const int64_t split = unit % splits;
    Scratch scratch;
    const BandSource read = read_band(window, source, band, kStretchTerms, scratch);
    const int64_t* at = positions(window, band, to.pitch, scratch);
    for (int64_t p = panels.count * split / splits; p < panels.count * (split + 1) / splits; ++p)
      panel_product({.source = read.data,
                     .from = read.from,
                     .pieces = read.pieces,
                     .piece_count = read.piece_count,
                     .pixels = read.pixels,
                     .packed = packed + panels.column(p) * depth,
                     .width = panels.width(p),
                     .columns = panels.columns(p),
                     .bias = to.bias ? to.bias + panels.column(p) : nullptr,
                     .beta = to.beta,
                     .to = to.data + panels.column(p),
                     .at = at});
  });
}

// w [channels, depth] -> panels of [depth, channels].
void pack_turned(const float* w, int64_t depth, const Panels& panels, float* packed) {
  parallel_for(panels.count, [&](int64_t p) {
    const int64_t width = panels.width(p), columns = panels.columns(p);
    float* to = packed + panels.column(p) * depth;
    transpose(w + panels.column(p) * depth, depth, to, width, columns, depth);
    for (int64_t k = 0; columns < width && k < depth; ++k)
      std::fill_n(to + k * width + columns, width - columns, 0.0f);
  });
}

// The taps of a window that slides over dy, with output channels as terms: [tap, o, c] from w [o, places, c].
void pack_taps(const float* w, const Sliding& window, const ConvolutionSize& s, const Panels& panels,
               float* packed) {
  const int64_t O = s.group_out(), C = s.group_in(), taps = window.y.taps * window.x.taps;
  parallel_for(panels.count * taps, [&](int64_t unit) {
    const int64_t p = unit / taps, tap = unit % taps;
    const int64_t u = window.y.tap_first + tap / window.x.taps * window.y.tap_step;
    const int64_t v = window.x.tap_first + tap % window.x.taps * window.x.tap_step;
    const int64_t width = panels.width(p), columns = panels.columns(p);
    float* to = packed + panels.column(p) * taps * O + tap * O * width;
    const float* from = w + (u * s.x.kernel + v) * C + panels.column(p);
    for (int64_t o = 0; o < O; ++o, to += width) {
      std::copy_n(from + o * s.taps() * C, columns, to);
      std::fill_n(to + columns, width - columns, 0.0f);
    }
  });
}

// data = beta data, without reading it where beta is 0.
void scale(float* data, int64_t n, float beta) {
  constexpr int64_t kGrain = 1 << 15;
  if (beta == 1) return;
  parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
    if (beta == 0) return static_cast<void>(std::fill(data + begin, data + end, 0.0f));
    for (int64_t i = begin; i < end; ++i) data[i] *= beta;
  });
}

// Whether some places of an axis are read by no tap.
bool leaves_gaps(const WindowAxis& a) {
  for (int64_t remainder = 0; remainder < a.stride; ++remainder)
    if (backward_axis(a, remainder).taps == 0) return true;
  return false;
}

}  // namespace

void convolution(const ConvolutionSize& s, const float* x, const float* w, const float* bias, float* y) {
  const Sliding window{s.B, forward_axis(s.y), forward_axis(s.x)};
  const int64_t pixels = s.B * s.y.out() * s.x.out(), depth = s.taps() * s.group_in();
  if (pixels == 0 || s.out == 0) return;
  if (depth == 0) {
    for (int64_t i = 0; i < pixels * s.out; ++i) y[i] = bias ? bias[i % s.out] : 0;
    return;
  }
  if (is_depthwise(s)) return depthwise(s, x, w, bias, y);
  if (winograd_pays(s)) return winograd(s, x, w, bias, y);
  const Panels panels = panels_of(s.group_out());
  Scratch scratch;
  float* packed = scratch.take<float>(panels.columns_in_all() * depth);
  for (int64_t g = 0; g < s.groups; ++g) {
    const int64_t o = g * s.group_out();
    pack_turned(w + o * depth, depth, panels, packed);
    slide(window, {x + g * s.group_in(), s.in, s.group_in()}, packed, panels,
          {y + o, s.out, s.group_out(), bias ? bias + o : nullptr, 0.0f});
  }
}

void convolution_backward_input(const ConvolutionSize& s, const float* w, const float* dy, float beta,
                                float* dx) {
  const int64_t size = s.B * s.y.size * s.x.size * s.in;
  if (size == 0) return;
  if (s.weights() == 0 || s.y.out() == 0 || s.x.out() == 0) return scale(dx, size, beta);
  if (is_depthwise(s)) return depthwise_backward_input(s, w, dy, beta, dx);
  if (winograd_backward_pays(s)) return winograd_backward_input(s, w, dy, beta, dx);
  if (scattering_pays(s)) return scatter_backward_input(s, w, dy, beta, dx);
  if (leaves_gaps(s.y) || leaves_gaps(s.x)) {
    scale(dx, size, beta);
    beta = beta == 0 ? 0 : 1;
  }
  const Panels panels = panels_of(s.group_in());
  Scratch scratch;
  float* packed = scratch.take<float>(panels.columns_in_all() * s.taps() * s.group_out());
  for (int64_t phase = 0; phase < s.y.stride * s.x.stride; ++phase) {
    const Sliding window{s.B, backward_axis(s.y, phase / s.x.stride), backward_axis(s.x, phase % s.x.stride)};
    if (window.y.taps * window.x.taps == 0) continue;
    for (int64_t g = 0; g < s.groups; ++g) {
      const int64_t o = g * s.group_out(), c = g * s.group_in();
      pack_taps(w + o * s.taps() * s.group_in(), window, s, panels, packed);
      slide(window, {dy + o, s.out, s.group_out()}, packed, panels,
            {dx + c, s.in, s.group_in(), nullptr, beta});
    }
  }
}

}  // namespace fovea::kernels
