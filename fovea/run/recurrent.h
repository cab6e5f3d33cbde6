// Recurrent layers of a model that runs: products with packed weights, and cells. Immutable.
#pragma once

#include <string>
#include <vector>

#include "fovea/kernels/recurrent.h"
#include "fovea/run/attention.h"
#include "fovea/run/linear.h"

namespace fovea::run {

// A stack of layers over whole sequences (nn::Recurrent).
class RecurrentEncoder {
 public:
  RecurrentEncoder() = default;
  RecurrentEncoder(Weights& weights, const std::string& prefix, kernels::Cell cell, int64_t in, int64_t width,
                   int64_t depth, bool both_ways, Precision precision);

  int64_t out() const { return directions_ * width_; }
  Held held() const;

  struct Read {
    Tensor states;  // [rows, out()] of all sequences, one after the other
    Tensor last;    // [sequences, out()]: where each direction ends
  };
  // x [rows, in].
  Read operator()(const Tensor& x, const Ragged& ragged) const;

 private:
  struct Layer {
    Linear input;  // to the gates of all directions, side by side
    std::vector<Linear> state;
  };
  kernels::Cell cell_ = kernels::Cell::kGru;
  int64_t width_ = 0, directions_ = 1;
  std::vector<Layer> layers_;
};

// One layer of a decoder (nn::DecoderCells), a step at a time.
struct DecoderCell {
  DecoderCell(Weights& weights, const std::string& prefix, kernels::Cell cell, int64_t in, int64_t width,
              Precision precision);

  // gates [rows, G H] from the input; state [rows, N H], rows `stride` apart, becomes the next: h, and then c of an lstm.
  void step(const Tensor& gates, float* state, int64_t stride) const;
  Held held() const;

  kernels::Cell cell;
  int64_t width;
  Linear input, state;
};

// h of states of such a layer: [rows, H].
Tensor hidden_of(const float* state, int64_t stride, int64_t rows, int64_t width);

}  // namespace fovea::run
