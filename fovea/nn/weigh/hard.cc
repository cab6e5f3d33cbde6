// Hard attention reads one position of p = softmax(e): drawn from it (sample), or the most likely (argmax).
#include "fovea/autograd/distribution.h"
#include "fovea/autograd/normalise.h"
#include "fovea/base/random.h"
#include "fovea/nn/weigh/rows.h"
#include "fovea/nn/weigh/weigh.h"
#include "fovea/tensor/normalise.h"

namespace fovea::nn {
namespace {

// The first position where the running sum of p passes u * (sum of p); never one of probability 0.
// -1 where there is none, or where p is NaN.
template <typename T>
int32_t draw(const T* p, int64_t n, float u) {
  double total = 0, sum = 0;
  for (int64_t j = 0; j < n; ++j) total += p[j];
  int64_t last = -1;
  for (int64_t j = 0; j < n; ++j) {
    if (!(p[j] > 0)) continue;
    last = j;
    sum += p[j];
    if (sum > u * total) break;
  }
  return static_cast<int32_t>(last);
}

// The position that choose(scores, p, keys, u) says for each row, with u uniform in [0, 1).
template <typename Choose>
Weighed weigh_by(const Var& e, const WeighOptions& o, Choose&& choose) {
  const int64_t keys = e.dim(-1);
  Weighed y;
  y.at = Tensor::empty(rows_of(e), DType::kI32);
  const Tensor p = tensor::softmax(e.value());
  for_float(e.dtype(), "hard", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < y.at.size(); ++r) {
      const float u = uniform_of(philox(o.seed, o.step, static_cast<uint64_t>(r))[0]);
      y.at.data<int32_t>()[r] = choose(e.value().data<T>() + r * keys, p.data<T>() + r * keys, keys, u);
    }
  });
  y.log_prob = autograd::pick(autograd::log_softmax(e), y.at);
  y.entropy = autograd::entropy(e);
  return y;
}

Weighed weigh_sample(const Var& e, const MaskParts&, const WeighOptions& o) {
  return weigh_by(e, o, [](const auto*, const auto* p, int64_t keys, float u) { return draw(p, keys, u); });
}

Weighed weigh_argmax(const Var& e, const MaskParts&, const WeighOptions& o) {
  return weigh_by(e, o, [](const auto* x, const auto*, int64_t keys, float) { return argmax(x, keys); });
}

}  // namespace

Weigh weighs::sample() {
  return {"sample", "one_hot(j), j ~ softmax(e)", "reads one position, drawn by weight", true, weigh_sample};
}

Weigh weighs::argmax() {
  return {"argmax", "one_hot(argmax e)", "reads the position of the largest weight", true, weigh_argmax};
}

}  // namespace fovea::nn
