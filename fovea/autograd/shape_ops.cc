#include "fovea/autograd/shape_ops.h"

#include "fovea/autograd/embedding.h"

#include "fovea/tensor/shape_ops.h"

namespace fovea::autograd {
namespace {

Var record_reshape(const Var& x, Tensor y) {
  return record("reshape", {x}, std::move(y), [](const Tensor& dy, Grads& grads) { grads.pass(0, dy); });
}

}  // namespace

Var reshape(const Var& x, std::initializer_list<int64_t> sizes) {
  return record_reshape(x, x.value().reshape(sizes));
}
Var reshape(const Var& x, const Shape& shape) { return record_reshape(x, x.value().reshape(shape)); }

Var permute(const Var& x, std::initializer_list<int> order) {
  Tensor y = tensor::permute(x.value(), order);
  tensor::Order back{};  // the permutation that undoes it
  int i = 0;
  for (const int axis : order) back[static_cast<size_t>(x.shape().axis(axis, "permute"))] = i++;
  return record("permute", {x}, std::move(y), [back](const Tensor& dy, Grads& grads) {
    if (grads.wants(0))
      grads.pass(0, tensor::permute(dy, std::span<const int>(back.data(), static_cast<size_t>(dy.rank()))));
  });
}

Var transpose(const Var& x, int axis_a, int axis_b) {
  return record("transpose", {x}, tensor::transpose(x.value(), axis_a, axis_b),
                [axis_a, axis_b](const Tensor& dy, Grads& grads) {
                  if (grads.wants(0)) grads.pass(0, tensor::transpose(dy, axis_a, axis_b));
                });
}

Var concat(std::span<const Var> parts, int axis) {
  Tensor y = tensor::concat(parts.size(), axis, [&](size_t i) -> const Tensor& { return parts[i].value(); });
  axis = y.shape().axis(axis, "concat");
  const Tensor kept =
      Tensor::empty({static_cast<int64_t>(parts.size())}, DType::kI32);  // the size of each part
  for (size_t i = 0; i < parts.size(); ++i)
    kept.data<int32_t>()[i] = static_cast<int32_t>(parts[i].dim(axis));
  return record("concat", parts, std::move(y), [axis, kept](const Tensor& dy, Grads& grads) {
    int64_t at = 0;
    for (int64_t i = 0; i < kept.size(); ++i) {
      const int64_t end = at + kept.data<int32_t>()[i];
      if (grads.wants(static_cast<size_t>(i)))
        grads.pass(static_cast<size_t>(i), tensor::slice(dy, axis, at, end));
      at = end;
    }
  });
}

Var slice(const Var& x, int axis, int64_t begin, int64_t end) {
  axis = x.shape().axis(axis, "slice");
  return record("slice", {x}, tensor::slice(x.value(), axis, begin, end),
                [axis, begin](const Tensor& dy, Grads& grads) {
                  grads.add(0, [&](Tensor& dx) { tensor::put_part(dy, dx, axis, begin, true); });
                });
}

Var gather(const Var& x, int axis, const Tensor& ids) {
  axis = x.shape().axis(axis, "gather");
  if (ids.rank() != 1) fail("gather", "ids of shape {}: expected [n]", ids.shape().str());
  const Var front = axis == 0 ? x : transpose(x, 0, axis);
  const int64_t width = front.shape().product(1, front.rank());
  Shape shape = front.shape();
  shape[0] = ids.dim(0);
  const Var rows = reshape(embedding(reshape(front, {front.dim(0), width}), ids), shape);
  return axis == 0 ? rows : transpose(rows, 0, axis);
}

Var pad(const Var& x, int axis, int64_t before, int64_t after, double value) {
  axis = x.shape().axis(axis, "pad");
  return record("pad", {x}, tensor::pad(x.value(), axis, before, after, value),
                [axis, before, n = x.dim(axis)](const Tensor& dy, Grads& grads) {
                  if (grads.wants(0)) grads.pass(0, tensor::slice(dy, axis, before, before + n));
                });
}

}  // namespace fovea::autograd
