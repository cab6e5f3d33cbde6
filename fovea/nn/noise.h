// Noise while training.
#pragma once

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/dropout.h"

namespace fovea::nn {

// Dropout of this rate, a function of (seed, step); a rate of 0 is none.
struct Noise {
  float rate = 0;
  uint64_t seed = 0, step = 0;

  // x with dropout, as use number `use` of this noise.
  autograd::Var on(const autograd::Var& x, uint64_t use) const {
    return rate > 0 ? autograd::dropout(x, rate, seed + use, step) : x;
  }
  // The same of rows of x (along its last dimension), each of which is kept or dropped whole.
  autograd::Var on_rows(const autograd::Var& x, uint64_t use) const {
    if (rate == 0) return x;
    Shape rows = x.shape();
    rows[-1] = 1;
    return autograd::mul(x, autograd::dropout(autograd::Var(Tensor::full(rows, 1)), rate, seed + use, step));
  }
  // The same noise for another place, with draws of its own. Places are `kPlaces` uses apart.
  static constexpr uint64_t kPlaces = 1 << 20;
  Noise at(uint64_t place) const { return {rate, seed + place * kPlaces, step}; }
};

}  // namespace fovea::nn
