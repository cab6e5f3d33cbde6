// A matrix that says which keys a query sees.
#include "fovea/nn/masks/kinds.h"
#include "fovea/nn/masks/whole.h"

namespace fovea::nn {
namespace {

class Visible final : public MaskPart {
 public:
  explicit Visible(Tensor visible) : visible_(std::move(visible)) {}
  void apply(MaskBuilder& builder) const override {
    builder.hide(visible_.reshape(four_axes("mask", visible_.shape(), builder.context(), false)));
  }

 private:
  Tensor visible_;
};

}  // namespace

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

Mask visible(const Tensor& visible) {
  check(visible.dtype() == DType::kU8, "mask", "elements are {}: expected truth values (u8)",
        name_of(visible.dtype()));
  return Mask(make_pooled<Visible>(visible));
}

MaskKind masks::visible() {
  return {.name = "visible",
          .written = "visible",
          .what = "a matrix that is true where a key is seen",
          .numbers = {},
          .why_not = [](Place) -> const char* {
            return "a matrix fits one pair of lengths, and sentences have many; fovea attend takes one";
          },
          .make = nullptr};
}

}  // namespace fovea::nn
