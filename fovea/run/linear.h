// y = x W^T + b with W packed once, in f32 or in 8 bits (kernels/packed.h, kernels/quantized.h). A row's result depends on no other row.
// Immutable.
#pragma once

#include <string>

#include "fovea/run/runner.h"
#include "fovea/run/weights.h"

namespace fovea::run {

class Linear {
 public:
  Linear() = default;
  // NAME.weight [out, in], and NAME.bias [out] where it is there.
  Linear(Weights& weights, const std::string& name, int64_t in, int64_t out, Precision precision);
  // A weight and a bias of other names; no bias where `bias` is empty.
  Linear(Weights& weights, const std::string& weight, const std::string& bias, int64_t in, int64_t out,
         Precision precision);
  // Two of them as one, the rows of the second below those of the first.
  static Linear stacked(Weights& weights, const std::string& first, const std::string& second, int64_t in,
                        int64_t out, Precision precision);
  // weight f32 [out, in], bias [out] or undefined.
  Linear(const Tensor& weight, const Tensor& bias, Precision precision);

  bool defined() const { return packed_.defined(); }
  int64_t in() const { return in_; }
  int64_t out() const { return out_; }
  Held held() const;

  // x [rows, in] -> [rows, out].
  Tensor operator()(const Tensor& x) const;
  // y += the same.
  void add_to(const Tensor& y, const Tensor& x) const;
  // Rows `x_stride` and `y_stride` numbers apart; y = x W^T + b + beta y.
  void run(const float* x, int64_t x_stride, int64_t rows, float beta, float* y, int64_t y_stride) const;

 private:
  size_t packed_bytes() const;
  void pack(const std::vector<WeightPart>& parts, const Weights* from);
  void pack_f32(const std::vector<WeightPart>& parts, const Weights* from);
  void pack_int8(const std::vector<WeightPart>& parts, const Weights* from);

  int64_t in_ = 0, out_ = 0;
  Precision precision_ = Precision::kF32;
  Piece packed_;
  Tensor bias_;
};

}  // namespace fovea::run
