#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/kernels/blocks.h"
#include "fovea/kernels/dropout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/dropout_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/philox-inl.h"
#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elements [begin, end) of x and y; begin is a multiple of 128.
void DropoutRange(const float* x, float* y, int64_t begin, int64_t end, const DropoutMask& mask, float beta) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::RebindToSigned<decltype(d)> di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto below = hn::Set(di, mask.threshold() - 1);
  const auto scale = hn::Set(d, 1.0f / (1.0f - mask.rate)), old = hn::Set(d, beta);
  const Philox<decltype(du)> philox_of(mask.seed, mask.stream);
  for (int64_t i = begin; i < end; i += 128) {
    for (int64_t lane = 0; lane < 16 && i + lane < end; lane += lanes) {
      hn::Vec<decltype(du)> words[4];
      philox_of(static_cast<uint64_t>(i / 128 * 16 + lane), words);
      auto drop = [&](int64_t at, auto bits) HWY_ATTR {
        const int64_t n = end - at;
        if (n <= 0) return;
        const auto kept = hn::RebindMask(d, hn::Gt(hn::BitCast(di, bits), below));
        const auto v = n >= lanes ? hn::LoadU(d, x + at) : LoadTail(d, x + at, n);
        auto to = hn::IfThenElseZero(kept, hn::Mul(v, scale));
        if (beta != 0)
          to = hn::Add(to, hn::Mul(old, n >= lanes ? hn::LoadU(d, y + at) : LoadTail(d, y + at, n)));
        if (n >= lanes)
          hn::StoreU(to, d, y + at);
        else
          StoreTail(d, to, y + at, n);
      };
      for (int64_t w = 0; w < 4; ++w) {
        const int64_t at = i + 16 * w + lane;
        drop(at, hn::And(words[w], hn::Set(du, 0xFFFF)));
        drop(at + 64, hn::ShiftRight<16>(words[w]));
      }
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(DropoutRange);

void dropout(const float* x, float* y, int64_t n, const DropoutMask& mask, float beta) {
  static_assert(kBlockElements % 128 == 0);
  parallel_ranges(n, kBlockElements, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(DropoutRange)(x, y, begin, end, mask, beta);
  });
}

}  // namespace fovea::kernels
#endif
