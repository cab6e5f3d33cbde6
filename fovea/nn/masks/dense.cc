// Masks given as whole matrices: boolean (visible or not) and bias (added to the scores).
#include "fovea/autograd/shape_ops.h"
#include "fovea/nn/masks/mask.h"

namespace fovea::nn {
namespace {

// [T, S] and [B, T, S] as [B, H, T, S], checked against the attention's sizes.
Shape four_axes(const char* who, const Shape& s, const MaskContext& c, bool keys_may_be_shared) {
  Shape four = s;
  if (s.rank() == 2) four = {1, 1, s[0], s[1]};
  if (s.rank() == 3) four = {s[0], 1, s[1], s[2]};
  const Shape wanted = {c.batch, c.heads, c.queries, c.keys};
  bool fits = four.rank() == 4;
  for (int axis = 0; fits && axis < 4; ++axis)
    fits = four[axis] == wanted[axis] || (four[axis] == 1 && (axis < 3 || keys_may_be_shared));
  if (!fits)
    fail(who,
         "shape {}: expected [T, S], [B, T, S] or [B, H, T, S] with B {}, H {}, T {}, S {} (1 where shared)",
         s.str(), c.batch, c.heads, c.queries, c.keys);
  return four;
}

class Boolean final : public MaskPart {
 public:
  explicit Boolean(Tensor visible) : visible_(std::move(visible)) {}
  void apply(MaskBuilder& builder) const override {
    builder.hide(visible_.reshape(four_axes("mask", visible_.shape(), builder.context(), false)));
  }

 private:
  Tensor visible_;
};

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

Mask boolean(const Tensor& visible) {
  check(visible.dtype() == DType::kU8, "mask", "elements are {}: expected truth values (u8)",
        name_of(visible.dtype()));
  return Mask(std::make_shared<Boolean>(visible));
}

Mask bias(const Var& bias) { return Mask(std::make_shared<Bias>(bias)); }

}  // namespace fovea::nn
