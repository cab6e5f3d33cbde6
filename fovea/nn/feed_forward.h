// What a Transformer does with each position by itself:
//   y = W2 f(W1 x + b1) + b2            or, gated (Shazeer 2020),   y = W2 (f(Wg x) * (W1 x))
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fovea/kernels/activations.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/noise.h"

namespace fovea::nn {

// "relu", "gelu", "gelu_tanh", "silu", "quick_gelu". Throws for another name, and names the nearest.
kernels::Activation activation_named(std::string_view name);
std::span<const std::string_view> activation_names();

struct FeedForwardOptions {
  int64_t width = 0, hidden = 0;
  std::string activation = "relu";
  bool gated = false, bias = true;
};

class FeedForward {
 public:
  FeedForward(const FeedForwardOptions& options, Random& random);

  // x [.., width] -> [.., width]; noise falls on the hidden units.
  autograd::Var operator()(const autograd::Var& x, const Noise& noise = {});
  void collect(const std::string& prefix, ParameterList& list);

 private:
  kernels::Activation activation_;
  Linear in_;
  std::optional<Linear> gate_;
  Linear out_;
};

}  // namespace fovea::nn
