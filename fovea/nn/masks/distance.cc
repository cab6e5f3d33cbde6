// Masks that add a number by the distance between key and query: alibi and relative. They cost the fused
// kernels T + S - 1 numbers a head.
#include <algorithm>
#include <cmath>

#include "fovea/autograd/embedding.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/nn/masks/mask.h"

namespace fovea::nn {
namespace {

// Entry x of a diagonal is for key position - query position = x - S + 1.
int64_t distance_of(int64_t x, const MaskContext& c) { return x - c.keys + 1; }

class Alibi final : public MaskPart {
 public:
  void apply(MaskBuilder& builder) const override {
    const MaskContext& c = builder.context();
    const int64_t width = std::max<int64_t>(0, c.queries + c.keys - 1);
    Tensor diagonal = Tensor::empty({c.heads, width}, DType::kF64);
    for (int64_t h = 0; h < c.heads; ++h)
      for (int64_t x = 0; x < width; ++x)
        diagonal.data<double>()[h * width + x] =
            -alibi_slope(h, c.heads) * static_cast<double>(std::abs(distance_of(x, c)));
    builder.add_diagonal(diagonal.to(c.dtype));
  }
};

class Relative final : public MaskPart {
 public:
  Relative(Var table, int64_t max_distance, bool bidirectional)
      : table_(std::move(table)), max_distance_(max_distance), bidirectional_(bidirectional) {}
  void apply(MaskBuilder& builder) const override {
    const MaskContext& c = builder.context();
    if (table_.rank() != 2 || table_.dim(1) != c.heads)
      fail("relative", "a table of shape {}: expected [buckets, {} heads]", table_.shape().str(), c.heads);
    const int64_t width = std::max<int64_t>(0, c.queries + c.keys - 1);
    Tensor buckets = Tensor::empty({width}, DType::kI32);
    for (int64_t x = 0; x < width; ++x)
      buckets.data<int32_t>()[x] = static_cast<int32_t>(
          relative_bucket(distance_of(x, c), table_.dim(0), max_distance_, bidirectional_));
    builder.add_diagonal(autograd::transpose(autograd::embedding(table_, buckets), 0, 1));
  }

 private:
  Var table_;
  int64_t max_distance_;
  bool bidirectional_;
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

int64_t relative_bucket(int64_t distance, int64_t buckets, int64_t max_distance, bool bidirectional) {
  int64_t offset = 0, n = -distance;  // how far the key lies back
  if (bidirectional) {
    buckets /= 2;
    if (n < 0) offset = buckets;
    n = std::abs(n);
  } else {
    n = std::max<int64_t>(n, 0);
  }
  const int64_t exact = buckets / 2;
  if (n < exact || exact == 0) return offset + std::min(n, std::max<int64_t>(buckets - 1, 0));
  const double share = std::log(static_cast<double>(n) / static_cast<double>(exact)) /
                       std::log(static_cast<double>(max_distance) / static_cast<double>(exact));
  return offset +
         std::min(buckets - 1, exact + static_cast<int64_t>(share * static_cast<double>(buckets - exact)));
}

Mask alibi() { return Mask(std::make_shared<Alibi>()); }

Mask relative(const Var& table, int64_t max_distance, bool bidirectional) {
  check(table.rank() == 2 && table.dim(0) >= (bidirectional ? 2 : 1), "relative",
        "a table of shape {}: expected [buckets, heads]", table.shape().str());
  check(max_distance > table.dim(0) / 2, "relative",
        "a largest distance of {} with {} buckets: expected more than half as many", max_distance,
        table.dim(0));
  return Mask(std::make_shared<Relative>(table, max_distance, bidirectional));
}

}  // namespace fovea::nn
