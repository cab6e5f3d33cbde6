// What the forward and the backward kernel share: a block of queries against a block of keys.
// Tiles are kept transposed, keys down and queries across, so that everything that belongs to a query (its
// maximum, its sum, its limits) is one lane of a vector and no operation runs along a vector. Include it
// after "hwy/highway.h" in a file compiled once for each target.
#if defined(FOVEA_KERNELS_ATTENTION_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_BLOCK_INL_H_
#undef FOVEA_KERNELS_ATTENTION_BLOCK_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_BLOCK_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "fovea/base/scratch.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/attention_blocks.h"
#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/philox-inl.h"
#include "fovea/kernels/tile-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr float kLog2E = 1.44269504f;
constexpr float kHidden = -std::numeric_limits<float>::infinity();

// A block of rows as the right-hand side of a product: in place where whole vectors fit, else a padded copy.
struct Operand {
  const float* data;
  int64_t ld;
  Operand(const float* from, int64_t row, int64_t rows, int64_t width, Scratch& scratch)
      : data(from), ld(row) {
    const int64_t padded = RoundUpToPanel(width);
    if (padded == width) return;
    float* copy = scratch.take<float>(rows * padded);
    PackRows(from, row, rows, width, copy, padded);
    data = copy;
    ld = padded;
  }
};

// The rows [begin, begin + rows) of one (b, h), and which keys each of them may see. Lanes past `rows` see
// none.
struct QueryBlock {
  int64_t b, h, begin, rows, lanes;  // lanes: rows, rounded up to whole panels
  int32_t first[kQueries], last[kQueries];
  int32_t any_first, any_last;  // of the whole block

  QueryBlock(const AttentionSize& n, const AttentionMask<float>& m, int64_t batch, int64_t head, int64_t from)
      : b(batch), h(head), begin(from), rows(std::min(kQueries, n.T - from)), lanes(RoundUpToPanel(rows)) {
    const int64_t at = b * m.range_batch + h * m.range_head + begin;
    for (int64_t i = 0; i < lanes; ++i) {
      first[i] = i < rows && m.first ? m.first[at + i] : 0;
      last[i] = i >= rows ? 0 : m.last ? m.last[at + i] : static_cast<int32_t>(n.S);
    }
    Span(0, lanes, &any_first, &any_last);
  }

  // The smallest interval that holds every key some lane in [from, to) sees; empty (0, 0) where none sees
  // any.
  void Span(int64_t from, int64_t to, int32_t* low, int32_t* high) const {
    *low = std::numeric_limits<int32_t>::max();
    *high = 0;
    for (int64_t i = from; i < to; ++i) {
      if (first[i] >= last[i]) continue;
      *low = std::min(*low, first[i]);
      *high = std::max(*high, last[i]);
    }
    if (*high == 0) *low = 0;
  }

  // Every lane in [from, to) sees all of the keys [j0, j1).
  bool SeesAll(int64_t from, int64_t to, int64_t j0, int64_t j1) const {
    for (int64_t i = from; i < to; ++i)
      if (first[i] > j0 || last[i] < j1) return false;
    return true;
  }
};

// A bias in units of log 2. The lowest finite number, which some programs use for "hidden", stays finite.
HWY_INLINE float BiasInLog2(float bias) {
  return bias == kHidden ? kHidden : std::max(kLog2E * bias, std::numeric_limits<float>::lowest());
}

// Adds the mask to a panel of scores e[j - j0][lane] for keys [j0, j1), in units of log 2. The panel's first
// lane is query block.begin + lane0. `diagonal` is the reversed copy made by ReverseDiagonal.
inline void MaskPanel(const AttentionMask<float>& m, const QueryBlock& block, int64_t lane0, int64_t j0,
                      int64_t j1, const float* diagonal, float* e, int64_t lde) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t panel = Panel();
  const int64_t i0 = block.begin + lane0;
  const int64_t rows = std::clamp<int64_t>(block.rows - lane0, 0, panel);
  if (m.bias) {
    const float* bias = m.bias + block.b * m.bias_batch + block.h * m.bias_head + i0 * m.bias_row;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = j0; j < j1; ++j) e[(j - j0) * lde + r] += BiasInLog2(bias[r * m.bias_row + j]);
  }
  if (diagonal) {
    for (int64_t j = j0; j < j1; ++j)
      for (int64_t c = 0; c < panel; c += lanes) {
        float* at = e + (j - j0) * lde + c;
        const auto add = hn::LoadU(d, diagonal + i0 + c - j);
        hn::StoreU(hn::MulAdd(add, hn::Set(d, kLog2E), hn::LoadU(d, at)), d, at);
      }
  }
  if (m.visible) {
    const uint8_t* seen =
        m.visible + block.b * m.visible_batch + block.h * m.visible_head + i0 * m.visible_row;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = j0; j < j1; ++j)
        if (!seen[r * m.visible_row + j]) e[(j - j0) * lde + r] = kHidden;
  }
  if (block.SeesAll(lane0, lane0 + panel, j0, j1)) return;
  for (int64_t c = 0; c < panel; c += lanes) {
    const auto first = hn::LoadU(di, block.first + lane0 + c), last = hn::LoadU(di, block.last + lane0 + c);
    for (int64_t j = j0; j < j1; ++j) {
      float* at = e + (j - j0) * lde + c;
      const auto key = hn::Set(di, static_cast<int32_t>(j));
      const auto hidden = hn::Or(hn::Gt(first, key), hn::Not(hn::Gt(last, key)));
      hn::StoreU(hn::IfThenElse(hn::RebindMask(d, hidden), hn::Set(d, kHidden), hn::LoadU(d, at)), d, at);
    }
  }
}

// What turns the score e (in units of log 2) of a row back into its weight: exp2(e - max) * share. A row that sees nothing has weights of
// 0; NaN stays NaN.
struct RowSoftmax {
  float max = -kHidden, share = 0;

  RowSoftmax() = default;
  RowSoftmax(const AttentionSize& n, SoftmaxRows<const float> rows, int64_t b, int64_t h, int64_t i) {
    const int64_t at = (b * n.H + h) * n.T + i;
    if (rows.max[at] == kHidden) return;
    max = rows.max[at];
    share = 1.0f / rows.sum[at];
  }
};

// diagonal[j - i + T - 1] laid out so that consecutive queries are consecutive: the result r has r[i - j] for
// every query i < T rounded up to whole blocks. Null where there is no diagonal.
inline const float* ReverseDiagonal(const AttentionSize& n, const AttentionMask<float>& m, int64_t h,
                                    Scratch& scratch) {
  if (!m.diagonal) return nullptr;
  const float* from = m.diagonal + h * m.diagonal_head;
  float* to = scratch.take<float>(n.T + n.S + kQueries);
  for (int64_t x = 0; x < n.T + n.S - 1; ++x) to[x] = from[n.T + n.S - 2 - x];
  std::fill_n(to + n.T + n.S - 1, kQueries + 1, 0.0f);
  return to + n.S - 1;
}

inline bool HasFactor(const AttentionMask<float>& m) { return m.centre || m.dropout > 0; }

// keep[j - j0][lane] as attention_dropout_row has it, for the queries of a panel; zeros past the last of them.
inline void KeepPanel(const AttentionSize& n, const AttentionMask<float>& m, const QueryBlock& block,
                      int64_t lane0, int64_t j0, int64_t j1, float* keep, int64_t ld) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::RebindToSigned<decltype(d)> di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto rate = hn::Set(d, m.dropout), kept = hn::Set(d, 1.0f / (1.0f - m.dropout));
  const Philox<decltype(du)> philox_of(m.seed, m.step);
  const int64_t across = (n.S + 3) / 4;
  for (int64_t c = 0; c < Panel(); c += lanes) {
    const int64_t rows = std::clamp<int64_t>(block.rows - lane0 - c, 0, lanes);
    const auto exists = hn::FirstN(d, static_cast<size_t>(rows));
    const int64_t row = ((block.b * n.H + block.h) * n.T + block.begin + lane0 + c) * across;
    for (int64_t group = j0 / 4; group * 4 < j1; ++group) {
      hn::Vec<decltype(du)> words[4];
      philox_of.Strided(static_cast<uint64_t>(row + group), static_cast<uint32_t>(across), words);
      for (int64_t w = 0; w < 4; ++w) {
        const int64_t j = group * 4 + w;
        if (j < j0 || j >= j1) continue;
        const auto uniform =  // uniform_of(word)
            hn::Mul(hn::ConvertTo(d, hn::BitCast(di, hn::ShiftRight<8>(words[w]))), hn::Set(d, 0x1p-24f));
        const auto stays = hn::And(exists, hn::Ge(uniform, rate));
        hn::StoreU(hn::IfThenElseZero(stays, kept), d, keep + (j - j0) * ld + c);
      }
    }
  }
}

// factor[j - j0][lane] = gauss * keep for a panel.
inline void FactorPanel(const AttentionSize& n, const AttentionMask<float>& m, const QueryBlock& block,
                        int64_t lane0, int64_t j0, int64_t j1, float* factor, int64_t ld) {
  const int64_t panel = Panel();
  const int64_t rows = std::clamp<int64_t>(block.rows - lane0, 0, panel);
  if (m.dropout > 0) {
    KeepPanel(n, m, block, lane0, j0, j1, factor, ld);
  } else {
    for (int64_t j = j0; j < j1; ++j) {
      std::fill_n(factor + (j - j0) * ld, rows, 1.0f);
      std::fill_n(factor + (j - j0) * ld + rows, panel - rows, 0.0f);
    }
  }
  for (int64_t r = 0; m.centre && r < rows; ++r) {
    const float centre =
        m.centre[block.b * m.centre_batch + block.h * m.centre_head + block.begin + lane0 + r];
    for (int64_t j = j0; j < j1; ++j) {
      const float away = (static_cast<float>(j) - centre) / m.sigma;
      factor[(j - j0) * ld + r] *= std::exp(-0.5f * away * away);
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
