// Straight-through Gumbel softmax (Jang et al. 2017): weights that are 1 at one sampled position and 0 elsewhere, with the gradient of
// softmax((e + Gumbel noise) / temperature).
#include <cmath>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/distribution.h"
#include "fovea/autograd/normalise.h"
#include "fovea/base/random.h"
#include "fovea/nn/weigh/rows.h"
#include "fovea/nn/weigh/weigh.h"

namespace fovea::nn {
namespace {

Weighed weigh(const Var& e, const MaskParts&, const WeighOptions& o) {
  check(o.temperature > 0, "gumbel", "a temperature of {}: expected more than 0", o.temperature);
  const int64_t keys = e.dim(-1), rows = e.value().size() / std::max<int64_t>(keys, 1);
  Tensor noise = Tensor::empty(e.shape(), DType::kF64);
  for (int64_t x = 0; x < noise.size(); ++x) {
    const double u = (philox(o.seed, o.step, static_cast<uint64_t>(x))[1] + 0.5) * 0x1p-32;  // in (0, 1)
    noise.data<double>()[x] = -std::log(-std::log(u));
  }
  const Var noisy = autograd::add(e, noise.to(e.dtype()));
  Tensor hard = Tensor::zeros(e.shape(), e.dtype()), chosen = Tensor::empty(rows_of(e), DType::kI32);
  for_float(e.dtype(), "gumbel", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < rows; ++r) {
      const int32_t j = argmax(noisy.value().data<T>() + r * keys, keys);
      chosen.data<int32_t>()[r] = j;
      if (j >= 0) hard.data<T>()[r * keys + j] = 1;
    }
  });
  const Var soft = autograd::softmax(autograd::scale(noisy, 1 / o.temperature));
  return {.weights = autograd::straight_through(soft, hard), .at = chosen};
}

}  // namespace

Weigh weighs::gumbel() {
  return {"gumbel", "one_hot(argmax(e + g))", "reads one position, with the gradient of a soft one", true,
          weigh};
}

}  // namespace fovea::nn
