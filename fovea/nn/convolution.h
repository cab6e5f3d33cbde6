// Convolution of pictures, and pictures as sequences of patches.
#pragma once

#include "fovea/autograd/convolution.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/parameter.h"

namespace fovea::nn {

struct ConvolutionLayer {
  int64_t in = 0, out = 0;  // channels
  int64_t kernel = 3;       // height and width
  int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
  bool bias = true;
};

// x [B, height, width, in] -> [B, out height, out width, out].
class Convolution {
 public:
  // Weights and bias start uniform in +-1 / sqrt(kernel * kernel * in / groups), as PyTorch's Conv2d.
  Convolution(const ConvolutionLayer& layer, Random& random);

  autograd::Var operator()(const autograd::Var& x);
  void collect(const std::string& prefix, ParameterList& list);

 private:
  Parameter weight_,
      bias_;  // [out, kernel, kernel, in / groups] and [out]; bias_ is undefined where there is none
  autograd::ConvolutionOptions options_;
};

// x [B, height, width, in] -> [B, patches, out]: a convolution whose stride is its kernel's size, as one product. Starts as Convolution does.
class PatchEmbedding {
 public:
  PatchEmbedding(int64_t in, int64_t out, int64_t size, bool bias, Random& random);

  autograd::Var operator()(const autograd::Var& x);
  void collect(const std::string& prefix, ParameterList& list);

 private:
  Parameter weight_, bias_;  // [out, size, size, in] and [out]
  int64_t size_;
};

}  // namespace fovea::nn
