#include "fovea/nn/feed_forward.h"

#include <array>
#include <vector>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"

namespace fovea::nn {
namespace {

using autograd::Var;
using kernels::Activation;

constexpr std::array<std::string_view, 5> kActivationNames = {"relu", "gelu", "gelu_tanh", "silu",
                                                              "quick_gelu"};
constexpr std::array<Activation, 5> kActivations = {
    Activation::kRelu, Activation::kGelu, Activation::kGeluTanh, Activation::kSilu, Activation::kQuickGelu};

}  // namespace

std::span<const std::string_view> activation_names() { return kActivationNames; }

Activation activation_named(std::string_view name) {
  for (size_t i = 0; i < kActivationNames.size(); ++i)
    if (kActivationNames[i] == name) return kActivations[i];
  const std::vector<std::string> names(kActivationNames.begin(), kActivationNames.end());
  fail("activation", "there is no activation {}: did you mean '{}'?", quote(name),
       nearest(name, names, 1).front());
}

FeedForward::FeedForward(const FeedForwardOptions& o, Random& random)
    : activation_(activation_named(o.activation)),
      in_(o.width, o.hidden, o.bias, random),
      gate_(o.gated ? std::optional<Linear>(std::in_place, o.width, o.hidden, o.bias, random) : std::nullopt),
      out_(o.hidden, o.width, o.bias, random) {}

Var FeedForward::operator()(const Var& x, const Noise& noise) {
  Var h = autograd::activate(activation_, gate_ ? (*gate_)(x) : in_(x));
  if (gate_) h = autograd::mul(h, in_(x));
  return out_(noise.on(h, 0));
}

void FeedForward::collect(const std::string& prefix, ParameterList& list) {
  in_.collect(prefix + "in.", list);
  if (gate_) gate_->collect(prefix + "gate.", list);
  out_.collect(prefix + "out.", list);
}

}  // namespace fovea::nn
