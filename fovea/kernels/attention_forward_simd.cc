// The order of FlashAttention-2 (Dao 2023) on CPU vectors: blocks of queries go over blocks of keys with a
// running maximum and sum, and divide once at the end. Scores are kept in units of log 2: log2(e) is folded
// into the queries.
#include "fovea/base/parallel.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/attention_blocks.h"
#include "fovea/kernels/blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_forward_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/attention_block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Per lane (query): the running maximum, the sum of exp2(e - max), and the sum of the scores, which only
// serves to carry a NaN.
struct RunningSoftmax {
  alignas(64) float max[kQueries], sum[kQueries], poison[kQueries];
  explicit RunningSoftmax(int64_t lanes) {
    std::fill_n(max, lanes, kHidden);
    std::fill_n(sum, lanes, 0.0f);
    std::fill_n(poison, lanes, 0.0f);
  }
};

// Turns the scores e[key][lane] of a panel into exp2(e - max) in place, updates the running numbers, and
// leaves in `correction` what earlier sums and outputs are to be multiplied by.
void UpdatePanel(float* HWY_RESTRICT e, int64_t lde, int64_t keys, int64_t lane0, RunningSoftmax& run,
                 float* correction) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const size_t n = hn::Lanes(d);
  const V hidden = hn::Set(d, kHidden);
  const V old0 = hn::LoadU(d, run.max + lane0), old1 = hn::LoadU(d, run.max + lane0 + n);
  V max0 = old0, max1 = old1;
  V poison0 = hn::LoadU(d, run.poison + lane0), poison1 = hn::LoadU(d, run.poison + lane0 + n);
  for (int64_t j = 0; j < keys; ++j) {
    const V e0 = hn::LoadU(d, e + j * lde), e1 = hn::LoadU(d, e + j * lde + n);
    max0 = hn::Max(max0, e0);
    max1 = hn::Max(max1, e1);
    poison0 = hn::Add(poison0, e0);
    poison1 = hn::Add(poison1, e1);
  }
  hn::StoreU(max0, d, run.max + lane0);
  hn::StoreU(max1, d, run.max + lane0 + n);
  hn::StoreU(poison0, d, run.poison + lane0);
  hn::StoreU(poison1, d, run.poison + lane0 + n);
  // A lane that has seen no key yet subtracts 0: its exponentials are then exp2(-inf) = 0.
  const V base0 = hn::IfThenZeroElse(hn::Eq(max0, hidden), max0),
          base1 = hn::IfThenZeroElse(hn::Eq(max1, hidden), max1);
  V sum0 = hn::Zero(d), sum1 = sum0;
  for (int64_t j = 0; j < keys; ++j) {
    float* at = e + j * lde;
    const V p0 = Exp2(d, hn::Sub(hn::LoadU(d, at), base0)),
            p1 = Exp2(d, hn::Sub(hn::LoadU(d, at + n), base1));
    sum0 = hn::Add(sum0, p0);
    sum1 = hn::Add(sum1, p1);
    hn::StoreU(p0, d, at);
    hn::StoreU(p1, d, at + n);
  }
  const V keep0 = Exp2(d, hn::Sub(old0, base0)), keep1 = Exp2(d, hn::Sub(old1, base1));
  hn::StoreU(hn::MulAdd(hn::LoadU(d, run.sum + lane0), keep0, sum0), d, run.sum + lane0);
  hn::StoreU(hn::MulAdd(hn::LoadU(d, run.sum + lane0 + n), keep1, sum1), d, run.sum + lane0 + n);
  hn::StoreU(keep0, d, correction);
  hn::StoreU(keep1, d, correction + n);
}

// rows[r][0..width) *= factor[r] where the factor is not 1.
void ScaleRows(float* x, int64_t ld, int64_t rows, int64_t width, const float* factor) {
  const hn::ScalableTag<float> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t r = 0; r < rows; ++r) {
    if (factor[r] == 1.0f) continue;
    const auto f = hn::Set(d, factor[r]);
    for (int64_t c = 0; c < width; c += n)
      hn::StoreU(hn::Mul(f, hn::LoadU(d, x + r * ld + c)), d, x + r * ld + c);
  }
}

void MultiplyPanel(float* e, int64_t lde, const float* factor, int64_t ldf, int64_t keys) {
  const hn::ScalableTag<float> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t j = 0; j < keys; ++j)
    for (int64_t c = 0; c < Panel(); c += n)
      hn::StoreU(hn::Mul(hn::LoadU(d, e + j * lde + c), hn::LoadU(d, factor + j * ldf + c)), d,
                 e + j * lde + c);
}

void DotForwardBlock(const DotAttention<float>& a, HeadRows<float> out, SoftmaxRows<float> rows, int64_t b,
                     int64_t h, int64_t begin) {
  const AttentionSize& n = a.size;
  const int64_t kv = h / (n.H / n.G), panel = Panel(), width = RoundUpToPanel(n.M);
  const QueryBlock block(n, a.mask, b, h, begin);
  Scratch scratch;
  const float* diagonal = ReverseDiagonal(n, a.mask, h, scratch);
  const bool masked = a.mask.bias || a.mask.visible || diagonal;
  float* qt = scratch.take<float>(n.D * block.lanes);
  // Rows of v are read in place where whole vectors fit; otherwise they are copied to padded rows.
  float* padded = width == n.M ? nullptr : scratch.take<float>(kKeys * width);
  float* e = scratch.take<float>(kKeys * panel);
  float* factor = HasFactor(a.mask) ? scratch.take<float>(kKeys * panel) : nullptr;
  float* o = scratch.take<float>(block.lanes * width);
  float correction[kQueries];
  RunningSoftmax run(block.lanes);
  std::fill_n(o, block.lanes * width, 0.0f);
  PackTransposed(a.q.at(b, h, begin), a.q.row, block.rows, n.D, a.scale * kLog2E, qt, block.lanes);

  for (int64_t j0 = block.any_first / kKeys * kKeys; j0 < block.any_last; j0 += kKeys) {
    const int64_t j1 = std::min<int64_t>(j0 + kKeys, block.any_last);
    const float* vb = a.v.at(b, kv, j0);
    if (padded) {
      PackRows(vb, a.v.row, j1 - j0, n.M, padded, width);
      vb = padded;
    }
    const int64_t ldv = padded ? width : a.v.row;
    for (int64_t lane0 = 0; lane0 < block.rows; lane0 += panel) {
      int32_t low, high;
      block.Span(lane0, lane0 + panel, &low, &high);
      const int64_t from = std::max<int64_t>(low, j0), to = std::min<int64_t>(high, j1), keys = to - from;
      if (keys <= 0) continue;
      Product<false, false>(keys, panel, n.D, a.k.at(b, kv, from), a.k.row, 1, qt + lane0, block.lanes, e,
                            panel);
      if (masked || !block.SeesAll(lane0, lane0 + panel, from, to))
        MaskPanel(a.mask, block, lane0, from, to, diagonal, e, panel);
      UpdatePanel(e, panel, keys, lane0, run, correction);
      if (factor) {
        FactorPanel(n, a.mask, block, lane0, from, to, factor, panel);
        MultiplyPanel(e, panel, factor, panel, keys);
      }
      ScaleRows(o + lane0 * width, width, panel, width, correction);
      Product<true, true>(panel, width, keys, e, 1, panel, vb + (from - j0) * ldv, ldv, o + lane0 * width,
                          width);
    }
  }

  for (int64_t i = 0; i < block.rows; ++i) {
    const bool hidden = run.max[i] == kHidden && !std::isnan(run.poison[i]);
    const float scale = std::isnan(run.poison[i]) ? run.poison[i] : hidden ? 0.0f : 1.0f / run.sum[i];
    float* to = out.at(b, h, begin + i);
    for (int64_t c = 0; c < n.M; ++c) to[c] = scale * o[i * width + c];
    const int64_t row = (b * n.H + h) * n.T + begin + i;
    rows.max[row] = std::isnan(run.poison[i]) ? run.poison[i] : run.max[i];
    rows.sum[row] = std::isnan(run.poison[i]) ? run.poison[i] : run.sum[i];
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(DotForwardBlock);

auto chosen(int64_t queries) {
  // The first call of all would find a function that only chooses.
  if (!hwy::GetChosenTarget().IsInitialized()) hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  auto best = HWY_DYNAMIC_DISPATCH(DotForwardBlock);
#if (HWY_TARGETS & HWY_AVX2) && (HWY_TARGETS & HWY_AVX3)
  if (queries <= kFewQueries && best == &N_AVX3::DotForwardBlock) best = &N_AVX2::DotForwardBlock;
#endif
  return best;
}

}  // namespace

void attention_forward(const DotAttention<float>& a, HeadRows<float> out, SoftmaxRows<float> rows) {
  const auto run_block = chosen(a.size.T);
  const int64_t blocks = (a.size.T + kQueries - 1) / kQueries;
  const int64_t work = std::min(a.size.T, kQueries) * a.size.S * a.size.D / 8;  // products and sums are fast
  parallel_ranges(a.size.B * a.size.H * blocks, rows_per_block(work), [&](int64_t first, int64_t last) {
    for (int64_t task = first; task < last; ++task) {
      // Later queries see more keys under a causal mask: they go first, so that threads finish together.
      const int64_t block = blocks - 1 - task % blocks, bh = task / blocks;
      run_block(a, out, rows, bh / a.size.H, bh % a.size.H, block * kQueries);
    }
  });
}
}  // namespace fovea::kernels
#endif
