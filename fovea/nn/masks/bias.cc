// A matrix that is added to the scores.
#include "fovea/autograd/shape_ops.h"
#include "fovea/nn/masks/kinds.h"
#include "fovea/nn/masks/whole.h"

namespace fovea::nn {
namespace {

class Bias final : public MaskPart {
 public:
  explicit Bias(Var bias) : bias_(std::move(bias)) {}
  void apply(MaskBuilder& builder) const override {
    builder.add_bias(autograd::reshape(bias_, four_axes("bias", bias_.shape(), builder.context(), true)));
  }

 private:
  Var bias_;
};

}  // namespace

Mask bias(const Var& bias) { return Mask(make_pooled<Bias>(bias)); }

MaskKind masks::bias() {
  return {.name = "bias",
          .written = "bias",
          .what = "a matrix that is added to the scores",
          .numbers = {},
          .why_not = [](Place) -> const char* {
            return "a matrix fits one pair of lengths, and sentences have many; use relative or alibi";
          },
          .make = nullptr};
}

}  // namespace fovea::nn
