// Step three: from scores to weights. Soft attention reads from everywhere at once; hard attention reads one
// position.
#pragma once

#include <span>
#include <string_view>

#include "fovea/autograd/attention.h"

namespace fovea::nn {

using autograd::MaskParts;
using autograd::Var;

// softmax(e) of masked scores, times the mask's Gaussian and dropout where it has them.
Var weigh_soft(const Var& e, const MaskParts& mask);

// One position for each query.
struct Choice {
  Tensor at;     // i32 [B, H, T]; -1 where a query sees no key
  Var log_prob;  // log p(at), [B, H, T]
  Var entropy;   // of p, [B, H, T]
};

// How a position is chosen from p = softmax(e): drawn, or the most likely. Draws are a function of (seed,
// step, row).
enum class Hard { kSample, kArgmax };
Hard hard_named(std::string_view name);  // "sample" or "argmax"
Choice choose(const Var& e, Hard how, uint64_t seed, uint64_t step);

// Straight-through Gumbel softmax (Jang et al. 2017): weights that are 1 at one sampled position and 0
// elsewhere, with the gradient of softmax((e + Gumbel noise) / temperature). `at` (may be null) receives the
// positions.
Var weigh_gumbel(const Var& e, double temperature, uint64_t seed, uint64_t step, Tensor* at);

}  // namespace fovea::nn
