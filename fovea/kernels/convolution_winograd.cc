#include "fovea/kernels/convolution_winograd.h"

#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/kernels/sliding_panels.h"
#include "fovea/kernels/transpose.h"

namespace fovea::kernels {
namespace {

int64_t places_of(int64_t stride) { return winograd_side(stride) * winograd_side(stride); }

// One axis of tiles of two outputs.
SlidingAxis tile_axis(int64_t stride, int64_t outputs, int64_t source_size, int64_t padding) {
  return {.outputs = (outputs + 1) / 2,
          .out_size = outputs,
          .taps = winograd_side(stride),
          .source_size = source_size,
          .source_first = -padding,
          .source_step = 2 * stride,
          .tap_distance = 1};
}

// Weights of all places, each place [terms, channels] in panels, one place after the other.
struct WinogradWeights {
  int64_t stride;
  const float* packed;
  int64_t terms;
  Panels panels;
  int64_t places() const { return places_of(stride); }
  int64_t place() const { return terms * panels.columns_in_all(); }
};

// Terms are input channels: w [o, 9, c] is turned over first, some channels at a time.
void pack_winograd(const ConvolutionSize& s, const float* w, const Panels& panels, float* packed) {
  constexpr int64_t kTerms = 32;
  const int64_t C = s.in, blocks = (C + kTerms - 1) / kTerms, place = C * panels.columns_in_all();
  parallel_for(panels.count * blocks, [&](int64_t unit) {
    const int64_t p = unit / blocks, c = unit % blocks * kTerms, n = std::min(kTerms, C - c);
    const int64_t width = panels.width(p), columns = panels.columns(p);
    Scratch scratch;
    float* turned = scratch.take<float>(9 * kTerms * width);  // [9, c, o]
    if (columns < width) std::fill_n(turned, 9 * kTerms * width, 0.0f);
    for (int64_t tap = 0; tap < 9; ++tap)
      transpose(w + (panels.column(p) * 9 + tap) * C + c, 9 * C, turned + tap * kTerms * width, width,
                columns, n);
    for (int64_t k = 0; k < n; ++k)
      winograd_weights(s.y.stride, turned + k * width, kTerms * width, width, false,
                       packed + panels.column(p) * C + (c + k) * width, place);
  });
}

// Terms are output channels, and the kernel is reversed.
void pack_winograd_backward(const ConvolutionSize& s, const float* w, const Panels& panels, float* packed) {
  const int64_t C = s.in, O = s.out, place = O * panels.columns_in_all();
  constexpr int64_t kTerms = 16;
  parallel_ranges(O, kTerms, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o)
      for (int64_t p = 0; p < panels.count; ++p) {
        const int64_t width = panels.width(p), columns = panels.columns(p);
        float* to = packed + panels.column(p) * O + o * width;
        winograd_weights(1, w + o * 9 * C + panels.column(p), C, columns, true, to, place);
        for (int64_t i = 0; columns < width && i < places_of(1); ++i)
          std::fill_n(to + i * place + columns, width - columns, 0.0f);
      }
  });
}

struct WinogradTarget {
  float* y;
  const float* bias;
  float beta;
};

// The tiles of one band, with panels [panel, panel_end) of the output channels.
void tile_band(const Sliding& tiles, const float* source, const WinogradWeights& weights, const Band& band,
               int64_t panel, int64_t panel_end, const WinogradTarget& to) {
  const int64_t C = weights.terms, N = weights.panels.n, count = band.rows() * tiles.x.outputs;
  Scratch scratch;
  const BandSource read = read_band(tiles, {source, C, C}, band, tiles.x.taps * C, scratch);
  const int64_t row = read.pieces[1].offset - read.pieces[0].offset;
  float* inputs = scratch.take<float>(weights.places() * count * C);
  auto* from = scratch.take<int64_t>(count);
  auto* at = scratch.take<int64_t>(count);
  const int64_t column = weights.panels.column(panel), width = weights.panels.column(panel_end) - column;
  const int64_t columns = std::min(N, column + width) - column;
  float* sums = scratch.take<float>(weights.places() * count * width);
  Piece* pieces = scratch.take<Piece>((C + kStretchTerms - 1) / kStretchTerms);
  int64_t piece_count = 0;
  for (int64_t c = 0; c < C; c += kStretchTerms) pieces[piece_count++] = {c, std::min(kStretchTerms, C - c)};
  for (int64_t t = 0; t < count; ++t) {
    winograd_input(weights.stride, read.data + read.from[t], row, C, inputs + t * C, count * C);
    from[t] = t * C;
    at[t] = t * width;
  }
  for (int64_t i = 0; i < weights.places(); ++i)
    for (int64_t p = panel; p < panel_end; ++p)
      panel_product({.source = inputs + i * count * C,
                     .from = from,
                     .pieces = pieces,
                     .piece_count = piece_count,
                     .pixels = count,
                     .packed = weights.packed + i * weights.place() + weights.panels.column(p) * C,
                     .width = weights.panels.width(p),
                     .columns = weights.panels.width(p),
                     .bias = nullptr,
                     .beta = 0,
                     .to = sums + i * count * width + weights.panels.column(p) - column,
                     .at = at});
  int64_t t = 0;
  for (int64_t b = band.b; b < band.b_end; ++b)
    for (int64_t i = band.row; i < band.row_end; ++i)
      for (int64_t j = 0; j < tiles.x.outputs; ++j, ++t) {
        const int64_t pixel = (b * tiles.y.out_size + 2 * i) * tiles.x.out_size + 2 * j;
        winograd_output(weights.stride, sums + t * width, count * width, columns,
                        {.y = to.y + pixel * N + column,
                         .row = tiles.x.out_size * N,
                         .pixel = N,
                         .rows = std::min<int64_t>(2, tiles.y.out_size - 2 * i),
                         .cols = std::min<int64_t>(2, tiles.x.out_size - 2 * j),
                         .bias = to.bias ? to.bias + column : nullptr,
                         .beta = to.beta});
      }
}

void run_tiles(const Sliding& tiles, const float* source, const WinogradWeights& weights,
               const WinogradTarget& to) {
  // The changed inputs and products of a band stay in the second-level cache, unless there are so many channels that weights, which are
  // read again for every band, matter more.
  const Bands bands(tiles, std::clamp<int64_t>(8192 / weights.terms, 64, 192));
  // Units enough that no thread waits long for the last, and few enough panels in one that its products stay in the caches.
  constexpr int64_t kEnough = 8, kPanels = 4;
  const int64_t panels = weights.panels.count;
  const int64_t splits =
      std::clamp((kEnough + bands.count() - 1) / bands.count(), (panels + kPanels - 1) / kPanels, panels);
  parallel_for(bands.count() * splits, [&](int64_t unit) {
    const int64_t split = unit % splits;
    tile_band(tiles, source, weights, bands[unit / splits], panels * split / splits,
              panels * (split + 1) / splits, to);
  });
}

}  // namespace

bool winograd_pays(const ConvolutionSize& s) {
  constexpr int64_t kChannels = 16, kChannelsOfStrided = 32, kPixels = 16;
  for (const WindowAxis* a : {&s.y, &s.x})
    if (a->kernel != 3 || a->stride > 2 || a->stride != s.y.stride || a->dilation != 1 || a->padding > 2)
      return false;
  const int64_t channels = s.y.stride == 1 ? kChannels : kChannelsOfStrided;
  return s.groups == 1 && s.in >= channels && s.out >= channels && s.y.out() * s.x.out() >= kPixels;
}

bool winograd_backward_pays(const ConvolutionSize& s) { return s.y.stride == 1 && winograd_pays(s); }

void winograd(const ConvolutionSize& s, const float* x, const float* w, const float* bias, float* y) {
  const int64_t stride = s.y.stride;
  const Sliding tiles{s.B, tile_axis(stride, s.y.out(), s.y.size, s.y.padding),
                      tile_axis(stride, s.x.out(), s.x.size, s.x.padding)};
  const Panels panels = panels_of(s.out);
  Scratch scratch;
  float* packed = scratch.take<float>(places_of(stride) * s.in * panels.columns_in_all());
  pack_winograd(s, w, panels, packed);
  run_tiles(tiles, x, {stride, packed, s.in, panels}, {y, bias, 0});
}

// A convolution of dy with the reversed kernel, and 2 - padding zeros around it.
void winograd_backward_input(const ConvolutionSize& s, const float* w, const float* dy, float beta,
                             float* dx) {
  const Sliding tiles{s.B, tile_axis(1, s.y.size, s.y.out(), 2 - s.y.padding),
                      tile_axis(1, s.x.size, s.x.out(), 2 - s.x.padding)};
  const Panels panels = panels_of(s.in);
  Scratch scratch;
  float* packed = scratch.take<float>(places_of(1) * s.out * panels.columns_in_all());
  pack_winograd_backward(s, w, panels, packed);
  run_tiles(tiles, dy, {1, packed, s.out, panels}, {dx, nullptr, beta});
}

}  // namespace fovea::kernels
