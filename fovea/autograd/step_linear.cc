#include "fovea/autograd/step_linear.h"

#include <algorithm>

#include "fovea/kernels/gemm.h"
#include "fovea/kernels/packed.h"
#include "fovea/kernels/reduce.h"
#include "fovea/tensor/pool_allocator.h"

namespace fovea::autograd {

struct StepLinear::State {
  int64_t steps, rows, in, out;
  Tensor weight, bias;
  Tensor packed;   // W for x W^T, where nothing goes backward
  Tensor xs, dys;  // [steps, rows, in] and [steps, rows, out]: a place for each call
  int64_t calls = 0;
  Tensor reached;  // u8 [steps], by backward: a call that nothing depends on is not

  void put(const Tensor& value, const Tensor& all, int64_t call) const {
    std::copy_n(value.bytes_data(), value.bytes(), all.bytes_data() + call * value.bytes());
  }
};

StepLinear::StepLinear(const Var& w, const Var& bias, int64_t steps, int64_t rows)
    : state_(make_pooled<State>()) {
  const Tensor& weight = w.value();
  if (weight.rank() != 2 || (bias.defined() && bias.shape() != Shape{weight.dim(0)}))
    fail("step_linear", "a weight of shape {} and a bias of {} numbers: expected [N, K] and N",
         weight.shape().str(), bias.defined() ? bias.value().size() : 0);
  State& s = *state_;
  s.steps = steps;
  s.rows = rows;
  s.in = weight.dim(1);
  s.out = weight.dim(0);
  s.weight = weight;
  s.bias = bias.value();
  anchor_ = record("step_linear_weights", {w, bias}, Tensor::zeros({1}, weight.dtype()),
                   [state = state_](const Tensor&, Grads& grads) {
                     const State& s = *state;
                     for (int64_t call = 0; call < s.calls; ++call)
                       if (!s.reached.data<uint8_t>()[call]) s.dys.slice(call, call + 1).fill(0);
                     for_float(s.weight.dtype(), "step_linear", [&](auto t) {
                       using T = decltype(t);
                       const int64_t rows = s.calls * s.rows;
                       grads.add(0, [&](Tensor& dw, float beta) {
                         kernels::gemm(true, false, s.out, s.in, rows, T{1}, s.dys.data<T>(), s.out,
                                       s.xs.data<T>(), s.in, static_cast<T>(beta), dw.data<T>(), s.in);
                       });
                       grads.add(1, [&](Tensor& db, float beta) {
                         kernels::sum_axis(s.dys.data<T>(), db.data<T>(), int64_t{1}, rows, s.out, T{1},
                                           static_cast<T>(beta));
                       });
                     });
                   });
  if (!anchor_.node()) {
    s.packed = Tensor::empty({kernels::packed_size(s.in, s.out)}, weight.dtype());
    for_float(weight.dtype(), "step_linear", [&](auto t) {
      using T = decltype(t);
      kernels::pack(true, s.in, s.out, weight.data<T>(), s.in, s.packed.data<T>());
    });
  } else {
    s.reached = Tensor::zeros({steps}, DType::kU8);
    s.xs = Tensor::empty({steps, rows, s.in}, weight.dtype());
    s.dys = Tensor::empty({steps, rows, s.out}, weight.dtype());
  }
}

Var StepLinear::operator()(const Var& x, const Var& base, int64_t at) {
  State& s = *state_;
  const Tensor& in = x.value();
  const int64_t rows = anchor_.node() ? s.rows : in.dim(0);
  if (in.shape() != Shape{rows, s.in})
    fail("step_linear", "x of shape {}: expected [{}, {}]", in.shape().str(), rows, s.in);
  if (base.defined() &&
      (base.rank() != 3 || at < 0 || at >= base.dim(0) || base.dim(1) != rows || base.dim(2) != s.out))
    fail("step_linear", "step {} of a base of shape {}: expected [T, {}, {}]", at, base.shape().str(), s.rows,
         s.out);
  const int64_t call = s.calls;
  if (anchor_.node()) {
    if (call >= s.steps) fail("step_linear", "a call more than the {} it was made for", s.steps);
    ++s.calls;
    s.put(in, s.xs, call);
  }
  const Tensor y = Tensor::empty({rows, s.out}, in.dtype());
  for_float(in.dtype(), "step_linear", [&](auto t) {
    using T = decltype(t);
    const T* bias = s.bias.defined() ? s.bias.data<T>() : nullptr;
    T* out = y.data<T>();
    if (base.defined()) std::copy_n(base.value().data<T>() + at * y.size(), y.size(), out);
    const T keep = base.defined() ? 1 : 0;
    if (s.packed.defined())
      kernels::gemm_packed(false, rows, s.out, s.in, in.data<T>(), s.in, s.packed.data<T>(), bias, keep, out,
                           s.out);
    else if (bias && !base.defined())
      kernels::gemm_bias(false, true, rows, s.out, s.in, in.data<T>(), s.in, s.weight.data<T>(), s.in, bias,
                         out, s.out);
    else
      kernels::gemm(false, true, rows, s.out, s.in, T{1}, in.data<T>(), s.in, s.weight.data<T>(), s.in, keep,
                    out, s.out);
    if (bias && base.defined() && !s.packed.defined())
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t j = 0; j < s.out; ++j) out[r * s.out + j] += bias[j];
  });
  return record("step_linear", {x, base, anchor_}, y,
                [state = state_, call, at](const Tensor& dy, Grads& grads) {
                  State& s = *state;
                  for_float(dy.dtype(), "step_linear", [&](auto t) {
                    using T = decltype(t);
                    grads.add(0, [&](Tensor& dx, float beta) {
                      kernels::gemm(false, false, s.rows, s.in, s.out, T{1}, dy.data<T>(), s.out,
                                    s.weight.data<T>(), s.in, static_cast<T>(beta), dx.data<T>(), s.in);
                    });
                    grads.add(1, [&](Tensor& dbase) {
                      T* to = dbase.data<T>() + at * dy.size();
                      for (int64_t i = 0; i < dy.size(); ++i) to[i] += dy.data<T>()[i];
                    });
                  });
                  grads.add(2, [&](Tensor&) {  // its gradient is what s.dys holds
                    s.put(dy, s.dys, call);
                    s.reached.data<uint8_t>()[call] = 1;
                  });
                });
}

}  // namespace fovea::autograd
