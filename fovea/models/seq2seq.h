// What every model that turns one sequence into another can do. Decoding and looking are written against this.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "fovea/data/tokenizer.h"
#include "fovea/models/looks.h"
#include "fovea/models/net.h"

namespace fovea::models {

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

class Seq2Seq : public Net {
 public:
  // log p(word) of every target word, f32 [B, T], 0 where there is none; and, when `look` is given, the weights [B, H, T, S].
  virtual Tensor log_probs(const data::Batch& batch, Tensor* look = nullptr) = 0;
  virtual std::unique_ptr<Decoding> decode(const data::SourceBatch& source, int64_t beams) = 0;

  // Where every layer and head looks at a pair; nothing where there is but one attention, whose weights log_probs() gives.
  virtual std::optional<PairLooks> looks(const data::Batch&) { return {}; }

  // The most tokens of a source that it can read, <eos> not counted; 0: any number.
  virtual int64_t longest_source() const { return 0; }
  // The most it can write.
  virtual int64_t longest_target() const { return 0; }

  // Special tokens of the target's vocabulary, and of the source's.
  virtual data::SpecialIds special_ids() const { return {}; }
  virtual data::SpecialIds source_special_ids() const { return special_ids(); }
  virtual int64_t source_vocab() const = 0;
  virtual int64_t target_vocab() const = 0;
};

}  // namespace fovea::models
