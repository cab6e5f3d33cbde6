// Optimisers: how gradients change weights. Clipping by the global norm is part of the same sweep.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/autograd/tape.h"
#include "fovea/tensor/safetensors.h"

namespace fovea::train {

using autograd::Parameter;

struct OptimizerOptions {
  std::string name = "adamw";  // one of optimizer_names()
  float learning_rate = 1e-3f;
  float weight_decay =
      0;  // sgd, adam: added to the gradient; adamw: takes learning_rate * weight_decay off the weight
  bool decay_vectors = true;  // adamw: biases and gains, which have one axis, decay, too
  float clip_norm = 0;        // gradients are scaled down to this global norm; 0: never
  float beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f;  // adam, adamw
  float momentum = 0;                               // sgd
  bool nesterov = false;                            // sgd
};

// "sgd", "adam", "adamw".
std::vector<std::string_view> optimizer_names();

// What an optimiser keeps for one parameter.
struct Moments {
  std::string parameter;
  Tensor first, second;  // of the parameter's shape; undefined where the optimiser has no use for them
  Tensor steps;          // i32 [1]
  int64_t room = -1;     // that of the parameter they were laid out for
};
struct OptimizerKind;

class Optimizer {
 public:
  // Throws for a name that is not in the table and for options out of range.
  explicit Optimizer(OptimizerOptions options);

  const OptimizerOptions& options() const { return options_; }

  // Changes the value of every parameter that has a gradient; the others, and their moments, are left alone.
  // Gradients are not changed, and not cleared. Returns their global norm before clipping; when that is not
  // finite, nothing is changed at all. Pass the same parameters in the same order each time: after the first
  // step it allocates nothing. Parameters that are neighbours (nn/parameter_buffer.h) are swept over as one array.
  float step(std::span<Parameter* const> parameters, float learning_rate);
  float step(std::span<Parameter* const> parameters) { return step(parameters, options_.learning_rate); }

  // For checkpoints: moments and the number of steps of each parameter, named PARAMETER.first,
  // PARAMETER.second and PARAMETER.steps, as far as the optimiser has them. The tensors are the optimiser's
  // own, not copies.
  std::vector<NamedTensor> state() const;
  // Goes on from a state() of the same kind of optimiser. The tensors are copied. Throws when a parameter's
  // are not complete or fit no moment of this optimiser.
  void load_state(std::span<const NamedTensor> tensors);

 private:
  void lay_out(std::span<Parameter* const> parameters);
  bool sweep_together(const Parameter& a, const Parameter& b, size_t place) const;

  OptimizerOptions options_;
  const OptimizerKind* kind_;
  std::vector<Moments> moments_;  // those of the parameters of the last step first, in their order
};

}  // namespace fovea::train
