// y = x W^T + b for a model that only runs: W is laid out once in the order in which products read it, as it is or in 8 bits
// (kernels/quantized.h). A row's result depends on no other row.
#pragma once

#include "fovea/nn/parameter.h"

namespace fovea::nn {

// What the weights of products are kept in, in a model that only runs.
enum class Precision : uint8_t { kF32, kInt8 };

class ReadyLinear {
 public:
  ReadyLinear() = default;
  // weight [out, in]; bias [out], or undefined.
  ReadyLinear(const Tensor& weight, const Tensor& bias, Precision precision);

  int64_t in() const { return in_; }
  int64_t out() const { return out_; }

  // x [rows, in] -> y [rows, out].
  Tensor operator()(const Tensor& x) const;
  // y += the same.
  void add_to(const Tensor& y, const Tensor& x) const;

 private:
  void run(const Tensor& x, const Tensor& y, float beta) const;

  int64_t in_ = 0, out_ = 0;
  Precision precision_ = Precision::kF32;
  Tensor packed_, bias_;
};

}  // namespace fovea::nn
