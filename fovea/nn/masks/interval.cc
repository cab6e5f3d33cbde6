#include "fovea/nn/masks/interval.h"

#include <algorithm>

namespace fovea::nn {
namespace {

class PerQuery final : public MaskPart {
 public:
  PerQuery(std::function<Interval(int64_t)> f, QueryPosition count) : f_(std::move(f)), count_(count) {}

  void apply(MaskBuilder& builder) const override {
    const MaskContext& c = builder.context();
    Tensor first = Tensor::empty({1, 1, c.queries}, DType::kI32),
           last = Tensor::empty({1, 1, c.queries}, DType::kI32);
    for (int64_t i = 0; i < c.queries; ++i) {
      const Interval seen = f_(c.position(i, count_));
      first.data<int32_t>()[i] = static_cast<int32_t>(std::clamp<int64_t>(seen.first, 0, c.keys));
      last.data<int32_t>()[i] = static_cast<int32_t>(std::clamp<int64_t>(seen.last, 0, c.keys));
    }
    builder.limit(first, last);
  }

  RowRule rows() const override {
    return {.limit = [f = f_](const RowQuery& where, RowMask& row) {
      const Interval seen = f(where.query);
      row.first = std::max(row.first, seen.first);
      row.last = std::min(row.last, seen.last);
    }};
  }

 private:
  std::function<Interval(int64_t)> f_;
  QueryPosition count_;
};

}  // namespace

Mask per_query(std::function<Interval(int64_t)> f, QueryPosition count) {
  return Mask(make_pooled<PerQuery>(std::move(f), count));
}

}  // namespace fovea::nn
