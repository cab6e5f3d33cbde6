// A learned number for each bucket of distance and head (Raffel et al. 2020). It costs the fused kernels T + S - 1 numbers a head.
#include <algorithm>
#include <cmath>

#include "fovea/autograd/embedding.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/nn/masks/kinds.h"

namespace fovea::nn {
namespace {

class Relative final : public MaskPart {
 public:
  Relative(Var table, int64_t max_distance, bool bidirectional)
      : table_(std::move(table)), max_distance_(max_distance), bidirectional_(bidirectional) {}

  void apply(MaskBuilder& builder) const override {
    const MaskContext& c = builder.context();
    if (table_.rank() != 2 || table_.dim(1) != c.heads)
      fail("relative", "a table of shape {}: expected [buckets, {} heads]", table_.shape().str(), c.heads);
    const auto [first, count] = builder.distances();
    Tensor buckets = Tensor::empty({count}, DType::kI32);
    for (int64_t x = 0; x < count; ++x) buckets.data<int32_t>()[x] = static_cast<int32_t>(bucket(first + x));
    builder.add_by_distance(autograd::transpose(autograd::embedding(table_, buckets), 0, 1));
  }

  // The numbers of each head lie side by side by distance, from -max_distance on: those beyond share the outermost.
  RowRule rows() const override {
    const int64_t heads = table_.dim(1), far = max_distance_, count = 2 * far + 1;
    const Tensor table = table_.value().to(DType::kF32);
    std::vector<float> numbers(static_cast<size_t>(heads * count));
    for (int64_t x = 0; x < count; ++x)
      for (int64_t h = 0; h < heads; ++h)
        numbers[static_cast<size_t>(h * count + x)] = table.data<float>()[bucket(x - far) * heads + h];
    return {.add = [numbers = std::move(numbers), heads, far, count](const RowQuery& where,
                                                                     const RowMask& seen, float* bias) {
      check(where.heads == heads, "relative", "a table for {} heads: the attention has {}", heads,
            where.heads);
      const float* mine = numbers.data() + where.head * count + far;
      for (int64_t j = seen.first; j < seen.last; ++j)
        bias[j] += mine[std::clamp(j - where.query, -far, far)];
    }};
  }

 private:
  int64_t bucket(int64_t distance) const {
    return relative_bucket(distance, table_.dim(0), max_distance_, bidirectional_);
  }

  Var table_;
  int64_t max_distance_;
  bool bidirectional_;
};

}  // namespace

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

Mask relative(const Var& table, int64_t max_distance, bool bidirectional) {
  check(table.rank() == 2 && table.dim(0) >= (bidirectional ? 2 : 1), "relative",
        "a table of shape {}: expected [buckets, heads]", table.shape().str());
  check(max_distance > table.dim(0) / 2, "relative",
        "a largest distance of {} with {} buckets: expected more than half as many", max_distance,
        table.dim(0));
  return Mask(make_pooled<Relative>(table, max_distance, bidirectional));
}

MaskKind masks::relative() {
  return {.name = "relative",
          .written = "relative[:BUCKETS[:DISTANCE]]",
          .what = "adds a learned number for each bucket of distance and head",
          .numbers = {{2, 32}, {1, 128}},
          .why_not = [](Place) -> const char* { return nullptr; },
          .make =
              [](const MaskNumbers& n, Place place, std::span<const Var> arrays) {
                return nn::relative(arrays[0], n[1],
                                    place != Place::kDecoder);  // a decoder's keys all lie back
              },
          .arrays = [](const MaskNumbers& n, const MaskSizes& size) -> std::vector<MaskArray> {
            return {{.name = "relative", .shape = {n[0], size.heads}, .deviation = 0.02}};
          }};
}

}  // namespace fovea::nn
