#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/kernels/convolution_depthwise.h"
#include "fovea/kernels/sliding.h"
#include "fovea/kernels/transpose.h"

// One row of positions, all channels. Positions [inner, inner_end) read no place outside of the source's columns.
#ifndef FOVEA_KERNELS_DEPTHWISE_ROW_
#define FOVEA_KERNELS_DEPTHWISE_ROW_
namespace fovea::kernels {
struct DepthwiseRow {
  const float*
      source;  // the row that the first tap of the window reads, at column 0; rows are `row` floats apart
  int64_t row, channels, width;
  int64_t tap_y, tap_y_end;  // whose rows are inside
  int64_t inner, inner_end;
  SlidingAxis x;
};
inline DepthwiseRow depthwise_row(const Sliding& window, const float* source, int64_t channels, int64_t b,
                                  int64_t i) {
  const SlidingAxis &y = window.y, &x = window.x;
  const auto divided_up = [](int64_t p, int64_t q) { return p > 0 ? (p + q - 1) / q : int64_t{0}; };
  const int64_t first = y.source_first + i * y.source_step, pitch = x.source_size * channels;
  DepthwiseRow r{.source = source + (b * y.source_size + first) * pitch,
                 .row = y.tap_distance * pitch,
                 .channels = channels,
                 .width = x.source_size,
                 .tap_y = divided_up(-first, y.tap_distance),
                 .tap_y_end = std::min(y.taps, divided_up(y.source_size - first, y.tap_distance)),
                 .inner = std::min(x.outputs, divided_up(-x.source_first, x.source_step)),
                 .inner_end = x.outputs,
                 .x = x};
  r.tap_y_end = std::max(r.tap_y, r.tap_y_end);
  const int64_t last = x.source_size - 1 - x.source_first - (x.taps - 1) * x.tap_distance;
  r.inner_end = last < 0 ? r.inner : std::clamp(last / x.source_step + 1, r.inner, x.outputs);
  return r;
}
}  // namespace fovea::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/convolution_depthwise_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Taps of position j whose columns are inside.
struct TapRange {
  int64_t begin, end;
};
HWY_INLINE TapRange TapsAt(const SlidingAxis& x, int64_t j) {
  const int64_t first = x.source_first + j * x.source_step;
  const int64_t room = x.source_size - first;
  if (x.tap_distance == 1) {
    const int64_t begin = std::max<int64_t>(0, -first);
    return {begin, std::max(begin, std::min(x.taps, room))};
  }
  const int64_t begin = first >= 0 ? 0 : (-first + x.tap_distance - 1) / x.tap_distance;
  const int64_t end = room <= 0 ? 0 : std::min(x.taps, (room - 1) / x.tap_distance + 1);
  return {begin, std::max(begin, end)};
}

// kCount positions from j on, a vector of channels from c on, n of them: the sum over all taps inside. w [taps, channels].
template <int kCount, class Load, class Store>
HWY_INLINE void DepthwisePositions(const DepthwiseRow& r, const float* w, const float* bias, float beta,
                                   int64_t j, const TapRange& taps, const Load& load, const Store& store,
                                   float* y, int64_t y_step) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  V sum[kCount];
  const V start = bias ? load(bias) : hn::Zero(d);
  for (V& s : sum) s = start;
  const int64_t C = r.channels;
  const bool reads_again = kCount > 1 && r.x.taps == 3 && r.x.tap_distance == 1 && r.x.source_step == 1;
  for (int64_t u = r.tap_y; reads_again && u < r.tap_y_end; ++u) {  // what neighbours share is loaded once
    const float* row = r.source + u * r.row + (r.x.source_first + j) * C;
    const float* weight = w + u * 3 * C;
    V pixel[kCount + 2];
    for (int k = 0; k < kCount + 2; ++k) pixel[k] = load(row + k * C);
    for (int v = 0; v < 3; ++v) {
      const V right = load(weight + v * C);
      for (int k = 0; k < kCount; ++k) sum[k] = hn::MulAdd(pixel[k + v], right, sum[k]);
    }
  }
  for (int64_t u = r.tap_y; !reads_again && u < r.tap_y_end; ++u) {
    const float* row =
        r.source + u * r.row + (r.x.source_first + j * r.x.source_step + taps.begin * r.x.tap_distance) * C;
    const float* weight = w + (u * r.x.taps + taps.begin) * C;
    for (int64_t v = taps.begin; v < taps.end; ++v, row += r.x.tap_distance * C, weight += C) {
      const V right = load(weight);
      for (int k = 0; k < kCount; ++k)
        sum[k] = hn::MulAdd(load(row + k * r.x.source_step * C), right, sum[k]);
    }
  }
  const V scale = hn::Set(d, beta);
  for (int k = 0; k < kCount; ++k) {
    float* to = y + k * y_step;
    store(beta == 0 ? sum[k] : hn::MulAdd(scale, load(to), sum[k]), to);
  }
}

// kCount positions from j on, all channels.
template <int kCount>
HWY_INLINE void DepthwiseChannels(const DepthwiseRow& r, const float* w, const float* bias, float beta,
                                  int64_t j, const TapRange& taps, float* y, int64_t y_step) {
  const hn::ScalableTag<float> d;
  ForVectors(d, r.channels, [&](int64_t, auto load, auto store) HWY_ATTR {
    DepthwisePositions<kCount>(r, w, bias, beta, j, taps, load, store, y + j * y_step, y_step);
  });
}

// y: the row's first position, the next ones y_step floats apart.
void DepthwiseForward(const DepthwiseRow& r, const float* w, const float* bias, float beta, float* y,
                      int64_t y_step) {
  const TapRange all{0, r.x.taps};
  int64_t j = 0;
  for (; j < r.inner; ++j) DepthwiseChannels<1>(r, w, bias, beta, j, TapsAt(r.x, j), y, y_step);
  for (; j + 4 <= r.inner_end; j += 4) DepthwiseChannels<4>(r, w, bias, beta, j, all, y, y_step);
  for (; j + 2 <= r.inner_end; j += 2) DepthwiseChannels<2>(r, w, bias, beta, j, all, y, y_step);
  for (; j < r.x.outputs; ++j) DepthwiseChannels<1>(r, w, bias, beta, j, TapsAt(r.x, j), y, y_step);
}

// dw[u, v, c] += sum_j dy[j, c] x[.., c] for kTaps taps v from `tap` on.
template <int kTaps, class Load, class Store>
HWY_INLINE void DepthwiseTaps(const DepthwiseRow& r, const float* dy, int64_t u, int64_t tap,
                              const Load& load, const Store& store, float* dw) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t C = r.channels;
  float* to = dw + (u * r.x.taps + tap) * C;
  const float* row = r.source + u * r.row + (r.x.source_first + tap * r.x.tap_distance) * C;
  V sum[kTaps];
  for (int k = 0; k < kTaps; ++k) sum[k] = load(to + k * C);
  const auto edge = [&](int64_t j) HWY_ATTR {
    const TapRange taps = TapsAt(r.x, j);
    const V g = load(dy + j * C);
    for (int k = 0; k < kTaps; ++k)
      if (tap + k >= taps.begin && tap + k < taps.end)
        sum[k] = hn::MulAdd(load(row + (j * r.x.source_step + k * r.x.tap_distance) * C), g, sum[k]);
  };
  for (int64_t j = 0; j < r.inner; ++j) edge(j);
  for (int64_t j = r.inner; j < r.inner_end; ++j) {
    const V g = load(dy + j * C);
    for (int k = 0; k < kTaps; ++k)
      sum[k] = hn::MulAdd(load(row + (j * r.x.source_step + k * r.x.tap_distance) * C), g, sum[k]);
  }
  for (int64_t j = r.inner_end; j < r.x.outputs; ++j) edge(j);
  for (int k = 0; k < kTaps; ++k) store(sum[k], to + k * C);
}

// Adds one row's share to dw [taps, channels] and db [channels]; either may be null.
void DepthwiseWeights(const DepthwiseRow& r, const float* dy, float* dw, float* db) {
  const hn::ScalableTag<float> d;
  ForVectors(d, r.channels, [&](int64_t, auto load, auto store) HWY_ATTR {
    for (int64_t u = r.tap_y; dw && u < r.tap_y_end; ++u) {
      int64_t v = 0;
      for (; v + 3 <= r.x.taps; v += 3) DepthwiseTaps<3>(r, dy, u, v, load, store, dw);
      for (; v < r.x.taps; ++v) DepthwiseTaps<1>(r, dy, u, v, load, store, dw);
    }
    if (!db) return;
    auto sum = load(db);
    for (int64_t j = 0; j < r.x.outputs; ++j) sum = hn::Add(sum, load(dy + j * r.channels));
    store(sum, db);
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(DepthwiseForward);
HWY_EXPORT(DepthwiseWeights);

// w [C, places] -> the window's taps [taps, C].
void turn_taps(const ConvolutionSize& s, const float* w, const Sliding& window, float* taps) {
  for (int64_t u = 0; u < window.y.taps; ++u)
    for (int64_t v = 0; v < window.x.taps; ++v) {
      const int64_t place = (window.y.tap_first + u * window.y.tap_step) * s.x.kernel + window.x.tap_first +
                            v * window.x.tap_step;
      for (int64_t c = 0; c < s.in; ++c) taps[(u * window.x.taps + v) * s.in + c] = w[c * s.taps() + place];
    }
}

void slide_rows(const Sliding& window, int64_t C, const float* source, const float* taps, const float* bias,
                float beta, float* y) {
  constexpr int64_t kWork = 1 << 16;  // multiply-adds that are worth a thread
  const int64_t row_work = std::max<int64_t>(1, window.x.outputs * C * std::max<int64_t>(1, window.depth(1)));
  parallel_ranges(
      window.B * window.y.outputs, std::max<int64_t>(1, kWork / row_work), [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n) {
          const int64_t b = n / window.y.outputs, i = n % window.y.outputs;
          const int64_t at =
              (b * window.y.out_size + window.y.out_first + i * window.y.out_step) * window.x.out_size +
              window.x.out_first;
          HWY_DYNAMIC_DISPATCH(DepthwiseForward)
          (depthwise_row(window, source, C, b, i), taps, bias, beta, y + at * C, window.x.out_step * C);
        }
      });
}

}  // namespace

void depthwise(const ConvolutionSize& s, const float* x, const float* w, const float* bias, float* y) {
  const Sliding window{s.B, forward_axis(s.y), forward_axis(s.x)};
  Scratch scratch;
  float* taps = scratch.take<float>(s.weights());
  turn_taps(s, w, window, taps);
  slide_rows(window, s.in, x, taps, bias, 0, y);
}

void depthwise_backward_input(const ConvolutionSize& s, const float* w, const float* dy, float beta,
                              float* dx) {
  Scratch scratch;
  float* taps = scratch.take<float>(s.weights());
  for (int64_t phase = 0; phase < s.y.stride * s.x.stride; ++phase) {
    const Sliding window{s.B, backward_axis(s.y, phase / s.x.stride), backward_axis(s.x, phase % s.x.stride)};
    turn_taps(s, w, window, taps);
    slide_rows(window, s.in, dy, taps, nullptr, beta, dx);
  }
}

void depthwise_backward_weights(const ConvolutionSize& s, const float* x, const float* dy,
                                const ConvolutionWeightGrads<float>& to) {
  const Sliding window{s.B, forward_axis(s.y), forward_axis(s.x)};
  const int64_t C = s.in, n = s.weights(), rows = s.B * s.y.out();
  // Rows are summed in parts, whose sums are added in order.
  constexpr int64_t kMostParts = 16, kRows = 16;
  const int64_t parts = std::clamp<int64_t>(rows / kRows, 1, kMostParts);
  Scratch scratch;
  float* sums = scratch.take<float>(parts * (n + C));
  parallel_for(parts, [&](int64_t part) {
    float* dw = sums + part * (n + C);
    float* db = dw + n;
    std::fill_n(dw, n + C, 0.0f);
    for (int64_t row = rows * part / parts; row < rows * (part + 1) / parts; ++row)
      HWY_DYNAMIC_DISPATCH(DepthwiseWeights)
    (depthwise_row(window, x, C, row / window.y.outputs, row % window.y.outputs),
     dy + row * window.x.outputs * C, to.dw ? dw : nullptr, to.db ? db : nullptr);
  });
  for (int64_t i = 0; i < n + C; ++i) {
    double sum = 0;
    for (int64_t part = 0; part < parts; ++part) sum += static_cast<double>(sums[part * (n + C) + i]);
    sums[i] = static_cast<float>(sum);
  }
  const auto store = [](float sum, float beta, float& to) { to = (beta == 0 ? 0 : beta * to) + sum; };
  for (int64_t tap = 0; to.dw && tap < s.taps(); ++tap)
    for (int64_t c = 0; c < C; ++c) store(sums[tap * C + c], to.beta_w, to.dw[c * s.taps() + tap]);
  for (int64_t c = 0; to.db && c < C; ++c) store(sums[n + c], to.beta_b, to.db[c]);
}

}  // namespace fovea::kernels
#endif
