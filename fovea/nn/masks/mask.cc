#include "fovea/nn/masks/mask.h"

#include <algorithm>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/shape_ops.h"

namespace fovea::nn {
namespace {

Shape joined(const Shape& a, const Shape& b) {
  Shape shape = a;
  for (int axis = 0; axis < a.rank(); ++axis)
    shape[axis] = a[axis] == 0 || b[axis] == 0 ? 0 : std::max(a[axis], b[axis]);
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

MaskBuilder::Distances MaskBuilder::distances() const {
  const MaskContext& c = context_;
  if (c.at.same) return {-c.position(0), c.keys};
  return {-c.position(std::max<int64_t>(c.queries - 1, 0)), std::max<int64_t>(0, c.queries + c.keys - 1)};
}

void MaskBuilder::add_by_distance(const Var& numbers) {
  if (context_.at.same)  // one row of numbers for every query
    add_bias(autograd::reshape(numbers, {1, numbers.dim(0), 1, numbers.dim(1)}));
  else
    parts_.diagonal = parts_.diagonal.defined() ? autograd::add(parts_.diagonal, numbers) : numbers;
}

void MaskBuilder::weigh_by_gauss(const Var& centre, double sigma) {
  check(!parts_.centre.defined(), "mask", "two masks with a predicted centre: one is enough");
  parts_.centre = centre;
  parts_.sigma = sigma;
}

void MaskBuilder::set_lengths(const Tensor& lengths) {
  lengths_ = lengths_.defined()
                 ? combine<int32_t>(lengths_, lengths, [](int32_t a, int32_t b) { return std::min(a, b); })
                 : lengths;
}

MaskParts Mask::resolve(const MaskContext& context) const {
  MaskBuilder builder(context);
  for (const bool last : {false, true})
    for (size_t i = 0; i < count_; ++i)
      if (parts_[i]->last() == last) parts_[i]->apply(builder);
  return std::move(builder).parts();
}

std::vector<RowRule> Mask::rows() const {
  std::vector<RowRule> rules;
  for (size_t i = 0; i < count_; ++i) {
    rules.push_back(parts_[i]->rows());
    check(rules.back().limit || rules.back().add, "mask",
          "a mask given as whole arrays (lengths, visible, bias) cannot be asked for one query at a time");
  }
  return rules;
}

bool Mask::asks_queries() const {
  for (size_t i = 0; i < count_; ++i)
    if (parts_[i]->asks_queries()) return true;
  return false;
}

}  // namespace fovea::nn
