// Recurrent layers: whole sequences for an encoder, step by step for a decoder whose input depends on what it read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/autograd/recurrent.h"
#include "fovea/autograd/step_linear.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/noise.h"
#include "fovea/tensor/pool_allocator.h"

namespace fovea::nn {

using autograd::Var;
using kernels::Cell;

// "tanh", "gru", "lstm". Throws for another name, and names the nearest.
Cell cell_named(std::string_view name);
std::span<const std::string_view> cell_names();

struct RecurrentOptions {
  Cell cell = Cell::kGru;
  int64_t in = 0, width = 0;
  int64_t depth = 1;
  bool both_ways = false;
};

// A stack of layers over whole sequences; with both_ways each layer runs from both ends, and the next one sees both.
class Recurrent {
 public:
  Recurrent(const RecurrentOptions& options, Random& random);

  // x [T, B, in], lengths i32 [B] or undefined -> [T, B, out()], 0 beyond a row's length. Noise falls between layers.
  Var operator()(const Var& x, const Tensor& lengths, const Noise& noise = {});
  int64_t out() const { return directions_ * options_.width; }
  int64_t directions() const { return directions_; }
  void collect(const std::string& prefix, ParameterList& list);

 private:
  struct Layer {
    Linear input;                         // to the gates of all directions, side by side
    std::vector<Parameter> weight, bias;  // of each direction's state
  };
  RecurrentOptions options_;
  int64_t directions_;
  std::vector<Layer> layers_;
};

// Layers of a decoder, one direction. The first one sees words, known beforehand where a model is taught, and (context > 0) a
// vector that only each step brings.
struct DecoderCellsOptions {
  Cell cell = Cell::kGru;
  int64_t in = 0;       // width of a word
  int64_t context = 0;  // width of the vector read at each step; 0: none
  int64_t width = 0, depth = 1;
};

class DecoderCells {
 public:
  DecoderCells(const DecoderCellsOptions& options, Random& random);

  // The state of all layers: [N, B, H] each.
  using State = PoolVector<Var>;

  // Weights packed for `count` steps of `rows` rows; without a tape, for any number.
  class Steps {
   public:
    // The words of the steps to come, [T, B, in].
    void read(const Var& words);
    // Step t of them, from `state` (changed to the next), with the context [B, context] where there is one. -> h of the
    // top layer, [B, H].
    Var operator()(int64_t t, const Var& context, State& state, const Noise& noise = {});

   private:
    friend class DecoderCells;
    DecoderCells* cells_ = nullptr;
    Var words_;  // [T, B, G H]: the words' part of the first layer's gates
    std::optional<autograd::StepLinear> word_, context_;
    PoolVector<autograd::StepLinear> input_, state_;  // of layers 1.., and of all layers
  };
  Steps steps(int64_t count, int64_t rows);

  // All steps at once, for a context that is the same at each of them (or none): -> h of the top layer, [T, B, H].
  Var run(const Var& words, const Var& context, const State& state, const Noise& noise = {});

  Cell cell() const { return options_.cell; }
  int64_t width() const { return options_.width; }
  int64_t depth() const { return options_.depth; }
  void collect(const std::string& prefix, ParameterList& list);

 private:
  struct Layer {
    Parameter input, input_bias;  // [G H, in or H], [G H]
    Parameter state, state_bias;  // [G H, H], [G H]
  };
  DecoderCellsOptions options_;
  Parameter context_;  // [G H, context]
  std::vector<Layer> layers_;
};

// h of a state [N, B, H]: [B, H].
Var hidden_of(const Var& state);

}  // namespace fovea::nn
