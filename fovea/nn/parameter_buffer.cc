#include "fovea/nn/parameter_buffer.h"

#include <algorithm>
#include <cstring>

namespace fovea::nn {
namespace {

constexpr int64_t kAlignment = 64;  // bytes

int64_t room_of(const Parameter& parameter) {
  const int64_t unit = kAlignment / size_of(parameter.value.dtype());
  return std::max(unit, (parameter.value.size() + unit - 1) / unit * unit);
}

// Elements [begin, ..) of a buffer as a tensor like x.
Tensor part_of(const Tensor& buffer, int64_t begin, const Tensor& x) {
  return buffer.slice(begin, begin + x.size()).reshape(x.shape());
}

void copy_elements(const Tensor& from, const Tensor& to) {
  std::memcpy(to.bytes_data(), from.bytes_data(), static_cast<size_t>(from.bytes()));
}

}  // namespace

bool are_neighbours(const Parameter& parameter, const Parameter& next) {
  if (parameter.room == 0 || next.room == 0 || !parameter.grad.defined() || !next.grad.defined())
    return false;
  const int64_t bytes = parameter.room * size_of(parameter.value.dtype());
  return next.value.bytes_data() == parameter.value.bytes_data() + bytes &&
         next.grad.bytes_data() == parameter.grad.bytes_data() + bytes;
}

void gather(const ParameterList& parameters) {
  if (parameters.empty()) return;
  bool done = parameters.front()->room > 0;
  for (size_t i = 1; i < parameters.size() && done; ++i)
    done = are_neighbours(*parameters[i - 1], *parameters[i]);
  if (done) return;

  const DType type = parameters.front()->value.dtype();
  int64_t size = 0;
  for (const Parameter* parameter : parameters) {
    check(parameter->value.dtype() == type, "parameters", "{} is {} and {} is {}: expected one type",
          parameters.front()->name, name_of(type), parameter->name, name_of(parameter->value.dtype()));
    size += room_of(*parameter);
  }
  const Tensor values = Tensor::zeros({size}, type), grads = Tensor::zeros({size}, type);
  int64_t at = 0;
  for (Parameter* parameter : parameters) {
    const Tensor value = part_of(values, at, parameter->value), grad = part_of(grads, at, parameter->value);
    copy_elements(parameter->value, value);
    if (parameter->has_grad())
      copy_elements(parameter->grad, grad);
    else
      parameter->cleared = true;
    parameter->value = value;
    parameter->grad = grad;
    parameter->room = room_of(*parameter);
    at += parameter->room;
  }
}

}  // namespace fovea::nn
