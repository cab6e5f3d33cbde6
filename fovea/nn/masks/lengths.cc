// Padding is hidden.
#include "fovea/nn/masks/kinds.h"

namespace fovea::nn {
namespace {

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

}  // namespace

Mask lengths(const Tensor& lengths) { return Mask(make_pooled<Lengths>(lengths)); }

MaskKind masks::lengths() {
  return {.name = "lengths",
          .written = "lengths",
          .what = "the number of keys of each batch entry: padding is hidden",
          .numbers = {},
          .why_not = [](Place) -> const char* { return "models hide padding by themselves"; },
          .make = nullptr};
}

}  // namespace fovea::nn
