#include "fovea/kernels/convolution_winograd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/convolution_winograd_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void WinogradWeights(const float* g, int64_t C, int64_t n, bool reversed, float* to, int64_t place) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const V half = hn::Set(d, 0.5f);
  ForVectors(d, n, [&](int64_t, auto load, auto store) HWY_ATTR {
    V left[4][3];  // G g
    for (int v = 0; v < 3; ++v) {
      V k[3];
      for (int u = 0; u < 3; ++u) k[u] = load(g + (reversed ? 8 - 3 * u - v : 3 * u + v) * C);
      const V outer = hn::Mul(half, hn::Add(k[0], k[2])), middle = hn::Mul(half, k[1]);
      left[0][v] = k[0];
      left[1][v] = hn::Add(outer, middle);
      left[2][v] = hn::Sub(outer, middle);
      left[3][v] = k[2];
    }
    for (int i = 0; i < 4; ++i) {
      const V outer = hn::Mul(half, hn::Add(left[i][0], left[i][2])), middle = hn::Mul(half, left[i][1]);
      store(left[i][0], to + (4 * i) * place);
      store(hn::Add(outer, middle), to + (4 * i + 1) * place);
      store(hn::Sub(outer, middle), to + (4 * i + 2) * place);
      store(left[i][2], to + (4 * i + 3) * place);
    }
  });
}

void WinogradInput(const float* from, int64_t row, int64_t C, float* to, int64_t place) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  ForVectors(d, C, [&](int64_t, auto load, auto store) HWY_ATTR {
    V left[4][4];  // B^T d
    for (int v = 0; v < 4; ++v) {
      const V d0 = load(from + v * C), d1 = load(from + row + v * C), d2 = load(from + 2 * row + v * C),
              d3 = load(from + 3 * row + v * C);
      left[0][v] = hn::Sub(d0, d2);
      left[1][v] = hn::Add(d1, d2);
      left[2][v] = hn::Sub(d2, d1);
      left[3][v] = hn::Sub(d1, d3);
    }
    for (int i = 0; i < 4; ++i) {
      store(hn::Sub(left[i][0], left[i][2]), to + (4 * i) * place);
      store(hn::Add(left[i][1], left[i][2]), to + (4 * i + 1) * place);
      store(hn::Sub(left[i][2], left[i][1]), to + (4 * i + 2) * place);
      store(hn::Sub(left[i][1], left[i][3]), to + (4 * i + 3) * place);
    }
  });
}

void WinogradResult(const float* m, int64_t place, int64_t n, const WinogradOutput& to) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const V scale = hn::Set(d, to.beta);
  ForVectors(d, n, [&](int64_t, auto load, auto store) HWY_ATTR {
    V left[2][4];  // A^T m
    for (int v = 0; v < 4; ++v) {
      const V m0 = load(m + v * place), m1 = load(m + (4 + v) * place), m2 = load(m + (8 + v) * place),
              m3 = load(m + (12 + v) * place);
      left[0][v] = hn::Add(hn::Add(m0, m1), m2);
      left[1][v] = hn::Sub(hn::Sub(m1, m2), m3);
    }
    for (int i = 0; i < 2; ++i) {
      V y[2] = {hn::Add(hn::Add(left[i][0], left[i][1]), left[i][2]),
                hn::Sub(hn::Sub(left[i][1], left[i][2]), left[i][3])};
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

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(WinogradWeights);
HWY_EXPORT(WinogradInput);
HWY_EXPORT(WinogradResult);

void winograd_weights(const float* g, int64_t C, int64_t n, bool reversed, float* to, int64_t place) {
  HWY_DYNAMIC_DISPATCH(WinogradWeights)(g, C, n, reversed, to, place);
}
void winograd_input(const float* d, int64_t row, int64_t C, float* to, int64_t place) {
  HWY_DYNAMIC_DISPATCH(WinogradInput)(d, row, C, to, place);
}
void winograd_output(const float* m, int64_t place, int64_t n, const WinogradOutput& to) {
  HWY_DYNAMIC_DISPATCH(WinogradResult)(m, place, n, to);
}

}  // namespace fovea::kernels
#endif
