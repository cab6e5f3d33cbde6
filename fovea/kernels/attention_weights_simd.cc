// Looking: the weights of chosen rows, rebuilt from their maximum and sum by the same arithmetic as the forward
// kernel.
#include "fovea/base/parallel.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/attention_blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_weights_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/attention_block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// e[key][lane] becomes exp2(e - max) * share for a panel.
void WeightsPanel(float* e, int64_t keys, const float* max, const float* share) {
  const hn::ScalableTag<float> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < Panel(); c += n) {
    const auto most = hn::LoadU(d, max + c), part = hn::LoadU(d, share + c);
    for (int64_t j = 0; j < keys; ++j) {
      float* at = e + j * Panel() + c;
      hn::StoreU(hn::Mul(part, Exp2(d, hn::Sub(hn::LoadU(d, at), most))), d, at);
    }
  }
}

// Rows [begin, min(begin + kQueries, end)) of (b, h); w is [.., S], its first row for query `begin`.
void DotWeightsBlock(const DotAttention<float>& a, SoftmaxRows<const float> rows_of, int64_t b, int64_t h,
                     int64_t begin, int64_t end, float* w) {
  AttentionSize n = a.size;
  const int64_t kv = h / (n.H / n.G), panel = Panel();
  QueryBlock block(n, a.mask, b, h, begin);
  block.rows = std::min(block.rows, end - begin);
  AttentionMask<float> factors = a.mask;
  factors.dropout = 0;
  Scratch scratch;
  const float* diagonal = ReverseDiagonal(n, a.mask, h, scratch);
  float* qt = scratch.take<float>(n.D * kQueries);
  float* e = scratch.take<float>(kKeys * panel);
  float* factor = scratch.take<float>(kKeys * panel);
  alignas(64) float max[kQueries], share[kQueries];
  for (int64_t i = 0; i < kQueries; ++i) {
    const RowSoftmax row = i < block.rows ? RowSoftmax(n, rows_of, b, h, begin + i) : RowSoftmax();
    max[i] = row.max;
    share[i] = row.share;
  }
  PackTransposed(a.q.at(b, h, begin), a.q.row, block.rows, n.D, a.scale * kLog2E, qt, kQueries);
  for (int64_t lane0 = 0; lane0 < block.rows; lane0 += panel) {
    const int64_t rows = std::min(panel, block.rows - lane0);
    int32_t low, high;
    block.Span(lane0, lane0 + panel, &low, &high);
    for (int64_t r = 0; r < rows; ++r) {
      std::fill_n(w + (lane0 + r) * n.S, low, 0.0f);
      std::fill_n(w + (lane0 + r) * n.S + high, n.S - high, 0.0f);
    }
    for (int64_t j0 = low; j0 < high; j0 += kKeys) {
      const int64_t j1 = std::min<int64_t>(j0 + kKeys, high);
      Product<false, false>(j1 - j0, panel, n.D, a.k.at(b, kv, j0), a.k.row, 1, qt + lane0, kQueries, e,
                            panel);
      MaskPanel(a.mask, block, lane0, j0, j1, diagonal, e, panel);
      WeightsPanel(e, j1 - j0, max + lane0, share + lane0);
      if (factors.centre) {
        FactorPanel(n, factors, block, lane0, j0, j1, factor, panel);
        for (int64_t x = 0; x < (j1 - j0) * panel; ++x) e[x] *= factor[x];
      }
      Transpose(e, panel, j1 - j0, rows, 1.0f, w + lane0 * n.S + j0, n.S);
    }
    for (int64_t r = 0; r < rows; ++r)  // which Exp2 does not carry
      if (std::isnan(max[lane0 + r])) std::fill_n(w + (lane0 + r) * n.S, n.S, max[lane0 + r]);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(DotWeightsBlock);

void attention_weights(const DotAttention<float>& a, SoftmaxRows<const float> rows, int64_t b, int64_t h,
                       int64_t begin, int64_t end, float* w) {
  parallel_ranges(end - begin, kQueries, [&](int64_t from, int64_t to) {
    HWY_DYNAMIC_DISPATCH(DotWeightsBlock)(a, rows, b, h, begin + from, begin + to, w + from * a.size.S);
  });
}
}  // namespace fovea::kernels
#endif
