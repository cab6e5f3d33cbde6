#include "fovea/kernels/convolution_winograd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/convolution_winograd_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using WinogradVec = hn::Vec<hn::ScalableTag<float>>;

// The matrices along one axis: G times three numbers, B^T times kSide, A^T times kSide.
template <int kStride>
struct Basis;

template <>
struct Basis<1> {
  static constexpr int kSide = 4;
  static HWY_INLINE void Weights(const WinogradVec* g, WinogradVec* to) {
    const WinogradVec half = hn::Set(hn::ScalableTag<float>(), 0.5f);
    const WinogradVec outer = hn::Mul(half, hn::Add(g[0], g[2])), middle = hn::Mul(half, g[1]);
    to[0] = g[0];
    to[1] = hn::Add(outer, middle);
    to[2] = hn::Sub(outer, middle);
    to[3] = g[2];
  }
  static HWY_INLINE void Input(const WinogradVec* d, WinogradVec* to) {
    to[0] = hn::Sub(d[0], d[2]);
    to[1] = hn::Add(d[1], d[2]);
    to[2] = hn::Sub(d[2], d[1]);
    to[3] = hn::Sub(d[1], d[3]);
  }
  static HWY_INLINE void Output(const WinogradVec* m, WinogradVec* to) {
    to[0] = hn::Add(hn::Add(m[0], m[1]), m[2]);
    to[1] = hn::Sub(hn::Sub(m[1], m[2]), m[3]);
  }
};

template <>
struct Basis<2> {
  static constexpr int kSide = 5;
  static HWY_INLINE void Weights(const WinogradVec* g, WinogradVec* to) {
    to[0] = g[0];
    to[1] = hn::Add(g[0], g[2]);
    to[2] = g[2];
    to[3] = g[1];
    to[4] = g[1];
  }
  static HWY_INLINE void Input(const WinogradVec* d, WinogradVec* to) {
    to[0] = hn::Sub(d[0], d[2]);
    to[1] = d[2];
    to[2] = hn::Sub(d[2], d[4]);
    to[3] = d[1];
    to[4] = d[3];
  }
  static HWY_INLINE void Output(const WinogradVec* m, WinogradVec* to) {
    to[0] = hn::Add(hn::Add(m[0], m[1]), m[3]);
    to[1] = hn::Add(hn::Sub(m[1], m[2]), m[4]);
  }
};

template <int kStride>
HWY_INLINE void WeightsTo(const float* g, int64_t tap, int64_t n, bool reversed, float* to, int64_t place) {
  constexpr int kSide = Basis<kStride>::kSide;
  ForVectors(hn::ScalableTag<float>(), n, [&](int64_t, auto load, auto store) HWY_ATTR {
    WinogradVec left[kSide][3], taken[3], made[kSide];  // left: G g
    for (int v = 0; v < 3; ++v) {
      for (int u = 0; u < 3; ++u) taken[u] = load(g + (reversed ? 8 - 3 * u - v : 3 * u + v) * tap);
      Basis<kStride>::Weights(taken, made);
      for (int i = 0; i < kSide; ++i) left[i][v] = made[i];
    }
    for (int i = 0; i < kSide; ++i) {
      Basis<kStride>::Weights(left[i], made);
      for (int j = 0; j < kSide; ++j) store(made[j], to + (kSide * i + j) * place);
    }
  });
}

template <int kStride>
HWY_INLINE void InputTo(const float* from, int64_t row, int64_t C, float* to, int64_t place) {
  constexpr int kSide = Basis<kStride>::kSide;
  ForVectors(hn::ScalableTag<float>(), C, [&](int64_t, auto load, auto store) HWY_ATTR {
    WinogradVec left[kSide][kSide], taken[kSide], made[kSide];  // left: B^T d
    for (int v = 0; v < kSide; ++v) {
      for (int u = 0; u < kSide; ++u) taken[u] = load(from + u * row + v * C);
      Basis<kStride>::Input(taken, made);
      for (int i = 0; i < kSide; ++i) left[i][v] = made[i];
    }
    for (int i = 0; i < kSide; ++i) {
      Basis<kStride>::Input(left[i], made);
      for (int j = 0; j < kSide; ++j) store(made[j], to + (kSide * i + j) * place);
    }
  });
}

template <int kStride>
HWY_INLINE void OutputTo(const float* m, int64_t place, int64_t n, const WinogradOutput& to) {
  constexpr int kSide = Basis<kStride>::kSide;
  const hn::ScalableTag<float> d;
  const WinogradVec scale = hn::Set(d, to.beta);
  ForVectors(d, n, [&](int64_t, auto load, auto store) HWY_ATTR {
    WinogradVec left[2][kSide], taken[kSide], y[2];  // left: A^T m
    for (int v = 0; v < kSide; ++v) {
      for (int u = 0; u < kSide; ++u) taken[u] = load(m + (kSide * u + v) * place);
      Basis<kStride>::Output(taken, y);
      for (int i = 0; i < 2; ++i) left[i][v] = y[i];
    }
    for (int i = 0; i < 2; ++i) {
      Basis<kStride>::Output(left[i], y);
      for (int j = 0; j < 2; ++j) {
        if (i >= to.rows || j >= to.cols) continue;
        float* at = to.y + i * to.row + j * to.pixel;
        if (to.bias) y[j] = hn::Add(y[j], load(to.bias));
        if (to.beta != 0) y[j] = hn::MulAdd(scale, load(at), y[j]);
        store(y[j], at);
      }
    }
  });
}

void WinogradWeights(int64_t stride, const float* g, int64_t tap, int64_t n, bool reversed, float* to,
                     int64_t place) {
  stride == 1 ? WeightsTo<1>(g, tap, n, reversed, to, place) : WeightsTo<2>(g, tap, n, reversed, to, place);
}
void WinogradInput(int64_t stride, const float* d, int64_t row, int64_t C, float* to, int64_t place) {
  stride == 1 ? InputTo<1>(d, row, C, to, place) : InputTo<2>(d, row, C, to, place);
}
void WinogradResult(int64_t stride, const float* m, int64_t place, int64_t n, const WinogradOutput& to) {
  stride == 1 ? OutputTo<1>(m, place, n, to) : OutputTo<2>(m, place, n, to);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(WinogradWeights);
HWY_EXPORT(WinogradInput);
HWY_EXPORT(WinogradResult);

void winograd_weights(int64_t stride, const float* g, int64_t tap, int64_t n, bool reversed, float* to,
                      int64_t place) {
  HWY_DYNAMIC_DISPATCH(WinogradWeights)(stride, g, tap, n, reversed, to, place);
}
void winograd_input(int64_t stride, const float* d, int64_t row, int64_t C, float* to, int64_t place) {
  HWY_DYNAMIC_DISPATCH(WinogradInput)(stride, d, row, C, to, place);
}
void winograd_output(int64_t stride, const float* m, int64_t place, int64_t n, const WinogradOutput& to) {
  HWY_DYNAMIC_DISPATCH(WinogradResult)(stride, m, place, n, to);
}

}  // namespace fovea::kernels
#endif
