// Layer norm and root-mean-square norm over the last axis, with their learned gain (and bias).
#pragma once

#include <string>
#include <variant>

#include "fovea/autograd/norm.h"
#include "fovea/nn/parameter.h"

namespace fovea::nn {

class LayerNorm {
 public:
  explicit LayerNorm(int64_t width, bool bias = true, double eps = 1e-5);
  autograd::Var operator()(const autograd::Var& x);
  // x + residual, and its norm, in one sweep.
  autograd::ResidualNorm operator()(const autograd::Var& x, const autograd::Var& residual);
  void collect(const std::string& prefix, ParameterList& list);

 private:
  Parameter weight_, bias_;
  double eps_;
};

class RmsNorm {
 public:
  explicit RmsNorm(int64_t width, double eps = 1e-5);
  autograd::Var operator()(const autograd::Var& x);
  autograd::ResidualNorm operator()(const autograd::Var& x, const autograd::Var& residual);
  void collect(const std::string& prefix, ParameterList& list);

 private:
  Parameter weight_;
  double eps_;
};

// Either, by name.
struct NormOptions {
  std::string kind = "layer";  // or "rms"
  double eps = 1e-5;
  bool bias = true;  // of layer norm
};

class Norm {
 public:
  Norm(int64_t width, const NormOptions& options);
  autograd::Var operator()(const autograd::Var& x);
  autograd::ResidualNorm operator()(const autograd::Var& x, const autograd::Var& residual);
  void collect(const std::string& prefix, ParameterList& list);

 private:
  std::variant<LayerNorm, RmsNorm> norm_;
};

}  // namespace fovea::nn
