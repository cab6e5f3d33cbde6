#include "fovea/nn/masks/mask.h"

#include <algorithm>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/shape_ops.h"

namespace fovea::nn {
namespace {

Shape joined(const Shape& a, const Shape& b) {
  Shape shape = a;
  for (int axis = 0; axis < a.rank(); ++axis) shape[axis] = std::max(a[axis], b[axis]);
  return shape;
}

// Reads x as if it had the given shape: axes of size 1 are repeated. f(value of a, value of b, element of the
// result).
template <typename T, typename F>
Tensor combine(const Tensor& a, const Tensor& b, F&& f) {
  const Shape shape = joined(a.shape(), b.shape());
  Tensor y = Tensor::empty(shape, a.dtype());
  const int rank = shape.rank();
  for (int64_t at = 0; at < y.size(); ++at) {
    int64_t rest = at, ia = 0, ib = 0, sa = 1, sb = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      const int64_t x = rest % shape[axis];
      rest /= shape[axis];
      if (a.dim(axis) > 1) ia += x * sa;
      if (b.dim(axis) > 1) ib += x * sb;
      sa *= a.dim(axis);
      sb *= b.dim(axis);
    }
    y.data<T>()[at] = f(a.data<T>()[ia], b.data<T>()[ib]);
  }
  return y;
}

Tensor clamped(const Tensor& x, int64_t high) {
  Tensor y = x.copy();
  for (int32_t& v : y.span<int32_t>()) v = std::clamp<int32_t>(v, 0, static_cast<int32_t>(high));
  return y;
}

}  // namespace

void MaskBuilder::limit(const Tensor& first, const Tensor& last) {
  const Tensor low = clamped(first, context_.keys), high = clamped(last, context_.keys);
  if (!parts_.first.defined()) {
    parts_.first = low;
    parts_.last = high;
  } else {
    parts_.first = combine<int32_t>(parts_.first, low, [](int32_t a, int32_t b) { return std::max(a, b); });
    parts_.last = combine<int32_t>(parts_.last, high, [](int32_t a, int32_t b) { return std::min(a, b); });
  }
}

void MaskBuilder::hide(const Tensor& visible) {
  parts_.visible =
      parts_.visible.defined()
          ? combine<uint8_t>(parts_.visible, visible, [](uint8_t a, uint8_t b) { return uint8_t{a && b}; })
          : visible;
}

void MaskBuilder::add_bias(const Var& bias) {
  const Shape& s = bias.shape();
  const Var whole =
      s[3] == context_.keys ? bias : autograd::broadcast_to(bias, {s[0], s[1], s[2], context_.keys});
  parts_.bias = parts_.bias.defined() ? autograd::add(parts_.bias, whole) : whole;
}

void MaskBuilder::add_diagonal(const Var& diagonal) {
  parts_.diagonal = parts_.diagonal.defined() ? autograd::add(parts_.diagonal, diagonal) : diagonal;
}

void MaskBuilder::weigh_by_gauss(const Var& centre, double sigma) {
  check(!parts_.centre.defined(), "mask", "two masks with a predicted centre: one is enough");
  parts_.centre = centre;
  parts_.sigma = sigma;
}

autograd::MaskParts MaskBuilder::build() && {
  // Limits that one part shares along an axis and another does not were already brought to one shape; first
  // and last differ only where a part left one of them alone.
  if (parts_.first.defined() && parts_.first.shape() != parts_.last.shape()) {
    const Tensor low = parts_.first, high = parts_.last;
    parts_.first = combine<int32_t>(low, high, [](int32_t a, int32_t) { return a; });
    parts_.last = combine<int32_t>(low, high, [](int32_t, int32_t b) { return b; });
  }
  return std::move(parts_);
}

autograd::MaskParts Mask::resolve(const MaskContext& context) const {
  MaskBuilder builder(context);
  for (const bool last : {false, true})
    for (size_t i = 0; i < count_; ++i)
      if (parts_[i]->last() == last) parts_[i]->apply(builder);
  return std::move(builder).build();
}

std::span<const MaskInfo> mask_table() {
  static constexpr MaskInfo kTable[] = {
      {"lengths", "hides padding: keys from lengths[b] on"},
      {"causal", "a query sees keys up to its own position"},
      {"window", "keys at a distance of at most N"},
      {"prefix", "the first N keys are seen by all, the others causally"},
      {"boolean", "any matrix of truth values, true = visible"},
      {"bias", "any matrix of numbers, added to the scores"},
      {"alibi", "-slope |distance|, a slope for each head (Press et al. 2022)"},
      {"relative", "a learned number for each bucket of distance (Raffel et al. 2020)"},
      {"local_m", "word t looks at words t - N .. t + N (Luong et al. 2015)"},
      {"local_p", "a predicted centre, a window and a Gaussian around it (Luong et al. 2015)"},
  };
  return kTable;
}

}  // namespace fovea::nn
