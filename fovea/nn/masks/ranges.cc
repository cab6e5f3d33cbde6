// Masks that leave each query one interval of keys: causal, window, lengths, prefix, local_m, around. Intervals cut
// with each other are intervals, so any combination of these costs the fused kernels two numbers a query.
#include <functional>

#include "fovea/nn/masks/mask.h"

namespace fovea::nn {
namespace {

// A reach beyond any sequence: sums with it do not overflow.
constexpr int64_t kFar = int64_t{1} << 40;

struct Interval {
  int64_t first, last;  // first <= j < last
};

// The same interval for every batch entry and head: f(context, query row).
class PerQuery final : public MaskPart {
 public:
  explicit PerQuery(std::function<Interval(const MaskContext&, int64_t)> f) : f_(std::move(f)) {}
  void apply(MaskBuilder& builder) const override {
    const MaskContext& c = builder.context();
    Tensor first = Tensor::empty({1, 1, c.queries}, DType::kI32),
           last = Tensor::empty({1, 1, c.queries}, DType::kI32);
    for (int64_t i = 0; i < c.queries; ++i) {
      const Interval seen = f_(c, i);
      first.data<int32_t>()[i] = static_cast<int32_t>(std::clamp<int64_t>(seen.first, 0, c.keys));
      last.data<int32_t>()[i] = static_cast<int32_t>(std::clamp<int64_t>(seen.last, 0, c.keys));
    }
    builder.limit(first, last);
  }

 private:
  std::function<Interval(const MaskContext&, int64_t)> f_;
};

class Lengths final : public MaskPart {
 public:
  explicit Lengths(Tensor lengths) : lengths_(std::move(lengths)) {}
  void apply(MaskBuilder& builder) const override {
    const MaskContext& c = builder.context();
    if (lengths_.size() != c.batch || lengths_.rank() != 1)
      fail("lengths", "shape {} for a batch of {}: expected one length each", lengths_.shape().str(),
           c.batch);
    Tensor first = Tensor::zeros({c.batch, 1, c.queries}, DType::kI32),
           last = Tensor::empty({c.batch, 1, c.queries}, DType::kI32);
    for (int64_t b = 0; b < c.batch; ++b) {
      const int32_t length = lengths_.data<int32_t>()[b];
      if (length < 0 || length > c.keys)
        fail("lengths", "length {} of batch entry {}: expected 0 to {}", length, b, c.keys);
      std::fill_n(last.data<int32_t>() + b * c.queries, c.queries, length);
    }
    builder.limit(first, last);
    builder.set_lengths(lengths_);
  }

 private:
  Tensor lengths_;
};

Mask per_query(std::function<Interval(const MaskContext&, int64_t)> f) {
  return Mask(std::make_shared<PerQuery>(std::move(f)));
}

}  // namespace

Mask causal() {
  return per_query([](const MaskContext& c, int64_t i) { return Interval{0, c.position(i) + 1}; });
}

Mask window(int64_t reach) {
  check(reach >= 0, "window", "a reach of {}: expected 0 or more", reach);
  reach = std::min(reach, kFar);
  return per_query([reach](const MaskContext& c, int64_t i) {
    return Interval{c.position(i) - reach, c.position(i) + reach + 1};
  });
}

Mask prefix(int64_t keys) {
  check(keys >= 0, "prefix", "a prefix of {} keys: expected 0 or more", keys);
  return per_query([keys](const MaskContext& c, int64_t i) {
    return Interval{0, std::max(keys, c.position(i) + 1)};
  });
}

Mask local_m(int64_t reach, int64_t first) {
  check(reach >= 0 && first >= 0, "local_m", "a reach of {} from word {}: expected 0 or more", reach, first);
  reach = std::min(reach, kFar);
  first = std::min(first, kFar);
  return per_query([=](const MaskContext&, int64_t i) {
    return Interval{first + i - reach, first + i + reach + 1};
  });
}

Mask around(int64_t centre, int64_t reach) {
  check(reach >= 0 && centre >= 0, "around", "a reach of {} around {}: expected 0 or more", reach, centre);
  reach = std::min(reach, kFar);
  centre = std::min(centre, kFar);
  return per_query([=](const MaskContext&, int64_t) { return Interval{centre - reach, centre + reach + 1}; });
}

Mask lengths(const Tensor& lengths) { return Mask(std::make_shared<Lengths>(lengths)); }

}  // namespace fovea::nn
