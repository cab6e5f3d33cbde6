#include <cmath>
#include <limits>

#include "fovea/autograd/embedding.h"
#include "fovea/autograd/matmul.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/nn/weigh/weigh.h"

namespace fovea::nn {
namespace {

// Whether any score of each row is NaN: u8.
Tensor rows_with_nan(const Tensor& e) {
  const int64_t keys = e.dim(3);
  const Tensor bad = Tensor::zeros({e.shape().product(0, 3)}, DType::kU8);
  for_float(e.dtype(), "hard", [&](auto zero) {
    const auto* x = e.data<decltype(zero)>();
    for (int64_t i = 0; i < e.size(); ++i)
      if (std::isnan(x[i])) bad.data<uint8_t>()[i / keys] = 1;
  });
  return bad;
}

// The values at the chosen positions: [B, H, T, m]; zeros where nothing was seen, NaN where the scores were.
Var read_chosen(const Var& values, const Tensor& at, const Tensor& e) {
  const int64_t B = at.dim(0), H = at.dim(1), T = at.dim(2), S = values.dim(2), m = values.dim(3);
  const int64_t nothing = B * H * S, not_a_number = nothing + 1;  // two more rows stand for these
  check(not_a_number < std::numeric_limits<int32_t>::max(), "hard", "{} keys in all are too many", nothing);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Var rows =
      autograd::concat({autograd::reshape(values, {nothing, m}), Tensor::zeros({1, m}, values.dtype()),
                        Tensor::full({1, m}, nan, values.dtype())},
                       0);
  const Tensor bad = rows_with_nan(e);
  Tensor ids = Tensor::empty({B, H, T}, DType::kI32);
  for (int64_t r = 0; r < ids.size(); ++r) {
    const int32_t j = at.data<int32_t>()[r];
    const int64_t row = bad.data<uint8_t>()[r] ? not_a_number : j < 0 ? nothing : r / T * S + j;
    ids.data<int32_t>()[r] = static_cast<int32_t>(row);
  }
  return autograd::embedding(rows, ids);
}

}  // namespace

Var read(const Weighed& weighed, const Var& values, const Var& e) {
  return weighed.weights.defined() ? autograd::matmul(weighed.weights, values)
                                   : read_chosen(values, weighed.at, e.value());
}

Tensor weights_of(const Weighed& weighed, int64_t keys, DType type) {
  if (weighed.weights.defined()) return weighed.weights.value();
  const Tensor& at = weighed.at;
  Tensor w = Tensor::zeros({at.dim(0), at.dim(1), at.dim(2), keys}, type);
  for_float(type, "hard", [&](auto zero) {
    for (int64_t r = 0; r < at.size(); ++r)
      if (at.data<int32_t>()[r] >= 0) w.data<decltype(zero)>()[r * keys + at.data<int32_t>()[r]] = 1;
  });
  return w;
}

}  // namespace fovea::nn
