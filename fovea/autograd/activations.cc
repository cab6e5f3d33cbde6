#include "fovea/autograd/activations.h"

#include "fovea/tensor/activations.h"

namespace fovea::autograd {

using kernels::Activation;

Var activate(Activation f, const Var& x) {
  Tensor y = tensor::activate(f, x.value());
  const Tensor kept = kernels::keeps_output(f) ? y : x.value();
  return record("activate", {x}, std::move(y), [f, kept](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& dx, float beta) {
      for_float(dx.dtype(), "activate", [&](auto t) {
        using T = decltype(t);
        kernels::activate_backward(f, kept.data<T>(), dy.data<T>(), dx.data<T>(), dx.size(), beta != 0);
      });
    });
  });
}

Var exp(const Var& x) { return activate(Activation::kExp, x); }
Var log(const Var& x) { return activate(Activation::kLog, x); }
Var sqrt(const Var& x) { return activate(Activation::kSqrt, x); }
Var square(const Var& x) { return activate(Activation::kSquare, x); }
Var tanh(const Var& x) { return activate(Activation::kTanh, x); }
Var sigmoid(const Var& x) { return activate(Activation::kSigmoid, x); }
Var relu(const Var& x) { return activate(Activation::kRelu, x); }
Var gelu(const Var& x) { return activate(Activation::kGelu, x); }
Var gelu_tanh(const Var& x) { return activate(Activation::kGeluTanh, x); }
Var silu(const Var& x) { return activate(Activation::kSilu, x); }
Var quick_gelu(const Var& x) { return activate(Activation::kQuickGelu, x); }

}  // namespace fovea::autograd
