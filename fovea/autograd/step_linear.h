// y_t = x_t W^T + b with the same W at every step of a recurrence. The gradient of W is one product over all steps, made when
// backward has passed the first of them. Without a tape W is packed once for all steps (kernels/packed.h), and a row's result
// depends on no other row.
#pragma once

#include <memory>

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

class StepLinear {
 public:
  // At most `steps` calls of `rows` rows each; without a tape any number of calls, of any number of rows. Make it after the tape
  // and before the first step. w [N, K]; bias [N], or undefined.
  StepLinear(const Var& w, const Var& bias, int64_t steps, int64_t rows);

  // x [rows, K] -> [rows, N].
  Var operator()(const Var& x) { return (*this)(x, {}, 0); }
  // base[at] + x W^T + b, with base [T, rows, N].
  Var operator()(const Var& x, const Var& base, int64_t at);

 private:
  struct State;
  std::shared_ptr<State> state_;
  Var anchor_;  // on the tape before every step, so backward comes to it last
};

}  // namespace fovea::autograd
