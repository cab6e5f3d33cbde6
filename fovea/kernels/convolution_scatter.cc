#include "fovea/kernels/convolution_scatter.h"

#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/kernels/sliding_panels.h"

namespace fovea::kernels {
namespace {

// w [o, depth], as it lies, in panels of its columns.
void pack_rows(const float* w, int64_t rows, int64_t depth, const Panels& panels, float* packed) {
  for (int64_t p = 0; p < panels.count; ++p) {
    float* to = packed + panels.column(p) * rows;
    for (int64_t o = 0; o < rows; ++o, to += panels.width(p)) {
      std::copy_n(w + o * depth + panels.column(p), panels.columns(p), to);
      std::fill_n(to + panels.columns(p), panels.width(p) - panels.columns(p), 0.0f);
    }
  }
}

// One picture with its padding: every place that a window reads.
struct Padded {
  explicit Padded(const ConvolutionSize& s)
      : rows(std::max(s.y.size + s.y.padding, (s.y.out() - 1) * s.y.stride + s.y.reach())),
        cols(std::max(s.x.size + s.x.padding, (s.x.out() - 1) * s.x.stride + s.x.reach())) {}
  int64_t rows, cols;
};

// sums[places] += products[depth] of one position, run by run of places that lie side by side.
void add_products(const ConvolutionSize& s, const float* products, int64_t cols, float* sums) {
  const int64_t C = s.group_in(), run = s.x.dilation == 1 ? s.x.kernel * C : C;
  const int64_t runs = s.x.dilation == 1 ? 1 : s.x.kernel;
  for (int64_t u = 0; u < s.y.kernel; ++u)
    for (int64_t v = 0; v < runs; ++v, products += run) {
      float* to = sums + (u * s.y.dilation * cols + v * s.x.dilation) * C;
      for (int64_t k = 0; k < run; ++k) to[k] += products[k];
    }
}

void scatter_picture(const ConvolutionSize& s, const float* packed, const Panels& panels, const float* dy,
                     float beta, float* dx) {
  const Padded padded(s);
  const int64_t C = s.group_in(), O = s.group_out(), rows = s.y.out(), cols = s.x.out(),
                depth = panels.columns_in_all();
  Scratch scratch;
  float* sums = scratch.take<float>(padded.rows * padded.cols * C);
  std::fill_n(sums, padded.rows * padded.cols * C, 0.0f);
  float* products = scratch.take<float>(cols * depth);
  auto* from = scratch.take<int64_t>(cols);
  auto* at = scratch.take<int64_t>(cols);
  Piece* pieces = scratch.take<Piece>(O / kStretchTerms + 1);
  int64_t piece_count = 0;
  for (int64_t o = 0; o < O; o += kStretchTerms) pieces[piece_count++] = {o, std::min(kStretchTerms, O - o)};
  for (int64_t j = 0; j < cols; ++j) {
    from[j] = j * s.out;
    at[j] = j * depth;
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t p = 0; p < panels.count; ++p)
      panel_product({.source = dy + i * cols * s.out,
                     .from = from,
                     .pieces = pieces,
                     .piece_count = piece_count,
                     .pixels = cols,
                     .packed = packed + panels.column(p) * O,
                     .width = panels.width(p),
                     .columns = panels.width(p),
                     .bias = nullptr,
                     .beta = 0,
                     .to = products + panels.column(p),
                     .at = at});
    for (int64_t j = 0; j < cols; ++j)
      add_products(s, products + j * depth, padded.cols,
                   sums + (i * s.y.stride * padded.cols + j * s.x.stride) * C);
  }
  for (int64_t i = 0; i < s.y.size; ++i) {
    const float* row = sums + ((i + s.y.padding) * padded.cols + s.x.padding) * C;
    for (int64_t j = 0; j < s.x.size; ++j)
      for (int64_t c = 0; c < C; ++c) {
        float& to = dx[(i * s.x.size + j) * s.in + c];
        to = (beta == 0 ? 0 : beta * to) + row[j * C + c];
      }
  }
}

}  // namespace

bool scattering_pays(const ConvolutionSize& s) {
  constexpr int64_t kFew = 8;
  return s.group_in() < kFew && s.taps() > 1;
}

void scatter_backward_input(const ConvolutionSize& s, const float* w, const float* dy, float beta,
                            float* dx) {
  const int64_t C = s.group_in(), O = s.group_out(), depth = s.taps() * C;
  const Panels panels = panels_of(depth);
  Scratch scratch;
  float* packed = scratch.take<float>(panels.columns_in_all() * O);
  for (int64_t g = 0; g < s.groups; ++g) {
    pack_rows(w + g * O * depth, O, depth, panels, packed);
    parallel_for(s.B, [&](int64_t b) {
      scatter_picture(s, packed, panels, dy + b * s.y.out() * s.x.out() * s.out + g * O, beta,
                      dx + b * s.y.size * s.x.size * s.in + g * C);
    });
  }
}

}  // namespace fovea::kernels
