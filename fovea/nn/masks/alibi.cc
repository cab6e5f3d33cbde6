// Scores fall with the distance, at a slope for each head (Press et al. 2022). It costs the fused kernels T + S - 1 numbers a head.
#include <cmath>

#include "fovea/nn/masks/kinds.h"

namespace fovea::nn {
namespace {

double fall(double slope, int64_t distance) { return -slope * static_cast<double>(std::abs(distance)); }

class Alibi final : public MaskPart {
 public:
  void apply(MaskBuilder& builder) const override {
    const MaskContext& c = builder.context();
    const auto [first, count] = builder.distances();
    Tensor numbers = Tensor::empty({c.heads, count}, DType::kF64);
    for (int64_t h = 0; h < c.heads; ++h)
      for (int64_t x = 0; x < count; ++x)
        numbers.data<double>()[h * count + x] = fall(alibi_slope(h, c.heads), first + x);
    builder.add_by_distance(numbers.to(c.dtype));
  }

  RowRule rows() const override {
    return {.add = [](const RowQuery& where, const RowMask& seen, float* bias) {
      const double slope = alibi_slope(where.head, where.heads);
      for (int64_t j = seen.first; j < seen.last; ++j)
        bias[j] += static_cast<float>(fall(slope, j - where.query));
    }};
  }
};

}  // namespace

double alibi_slope(int64_t head, int64_t heads) {
  int64_t power = 1;
  while (power * 2 <= heads) power *= 2;
  // Heads past the largest power of two take every other slope of twice as many heads.
  const double exponent =
      head < power ? -8.0 * static_cast<double>(head + 1) / static_cast<double>(power)
                   : -4.0 * static_cast<double>(2 * (head - power) + 1) / static_cast<double>(power);
  return std::exp2(exponent);
}

Mask alibi() { return Mask(make_pooled<Alibi>()); }

MaskKind masks::alibi() {
  return {.name = "alibi",
          .written = "alibi",
          .what = "adds -slope |distance|, with a slope for each head",
          .numbers = {},
          .why_not = [](Place) -> const char* { return nullptr; },
          .make = [](const MaskNumbers&, Place, std::span<const Var>) { return nn::alibi(); }};
}

}  // namespace fovea::nn
