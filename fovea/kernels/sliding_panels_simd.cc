#include "fovea/kernels/sliding_panels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/sliding_panels_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/sliding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

Panels PanelsOf(int64_t channels) {
  return {channels, static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>())), kMostVectors};
}

template <int kVectors = kMostVectors>
void Product(const PanelProduct& p) {
  if (p.width == kVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>())))
    return ProductPanel<kVectors>(p);
  if constexpr (kVectors > 1) Product<kVectors - 1>(p);
}
void SlidingProduct(const PanelProduct& p) { Product(p); }

template <int kVectors = kMostVectors>
void Weights(const PanelWeights& p) {
  if (p.width == kVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>())))
    return WeightPanel<kVectors>(p);
  if constexpr (kVectors > 1) Weights<kVectors - 1>(p);
}
void SlidingWeights(const PanelWeights& p) { Weights(p); }

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(PanelsOf);
HWY_EXPORT(SlidingProduct);
HWY_EXPORT(SlidingWeights);

Panels panels_of(int64_t channels) { return HWY_DYNAMIC_DISPATCH(PanelsOf)(channels); }
void panel_product(const PanelProduct& p) { HWY_DYNAMIC_DISPATCH(SlidingProduct)(p); }
void panel_weights(const PanelWeights& p) { HWY_DYNAMIC_DISPATCH(SlidingWeights)(p); }

}  // namespace fovea::kernels
#endif
