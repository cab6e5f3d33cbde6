// What every model that turns one sequence into another can do. Training, decoding and looking are written against this.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "fovea/data/batch.h"
#include "fovea/nn/parameter.h"
#include "fovea/tensor/safetensors.h"

namespace fovea::models {

using autograd::Var;

struct CostOptions {
  bool training = false;  // dropout and draws are on
  uint64_t step = 0;      // of the noise: the same step has the same noise
  float label_smoothing = 0;
  float guided = 0;  // weight of the cross-entropy between the map and batch.alignment
};

struct Cost {
  Var total;  // what to differentiate: the sum over target tokens, every extra term included
  double cross_entropy =
      0;  // sum over target tokens of -log p(word), smoothed as asked, extra terms not included
  int64_t tokens = 0;
};

// Target prefixes that grow word by word: K for each of B sentences. Nothing is recorded on a tape.
class Decoding {
 public:
  virtual ~Decoding() = default;
  virtual int64_t sentences() const = 0;  // B
  virtual int64_t beams() const = 0;      // K
  // Reads the newest word of every prefix, i32 [B, K] (first of all <sos>), and returns logits f32 [B, K, V] of the next.
  // `look`, where not null, receives the weights f32 [B, K, H, S] with which it looked at the source: 0 where
  // there is padding; undefined for a model that does not look.
  virtual Tensor step(const Tensor& words, Tensor* look = nullptr) = 0;
  // Prefix k of sentence b becomes what prefix parents[b, k] was; i32 [B, K'], each in 0..K-1. K' may differ from K.
  virtual void reorder(const Tensor& parents) = 0;
  // Only these sentences go on: i32 [B'], ascending.
  virtual void keep(const Tensor& sentences) = 0;
};

class Seq2Seq {
 public:
  virtual ~Seq2Seq() = default;

  // Everything that makes a model of the same shape: {"model_type": "rnn", ...}.
  virtual nlohmann::json config() const = 0;
  virtual nn::ParameterList parameters() = 0;
  // State that is saved beside the parameters and not trained by gradients. The tensors are the model's own.
  virtual std::vector<NamedTensor> buffers() { return {}; }

  virtual Cost cost(const data::Batch& batch, const CostOptions& options) = 0;
  // log p(word) of every target word, f32 [B, T], 0 where there is none; and, when `look` is given, the weights [B, H, T, S].
  virtual Tensor log_probs(const data::Batch& batch, Tensor* look = nullptr) = 0;
  virtual std::unique_ptr<Decoding> decode(const data::SourceBatch& source, int64_t beams) = 0;

  // After parameters were changed from outside: what was prepared from them is made anew. cost() with `training` says so by itself.
  virtual void weights_changed() {}

  // The most tokens of a source that it can read, <eos> not counted; 0: any number.
  virtual int64_t longest_source() const { return 0; }
  // The most it can write.
  virtual int64_t longest_target() const { return 0; }

  virtual int64_t source_vocab() const = 0;
  virtual int64_t target_vocab() const = 0;
};

}  // namespace fovea::models
