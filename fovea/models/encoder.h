// What every model that reads a text as a whole can do: states of its words, and what its heads make of them.
#pragma once

#include "fovea/models/language_model.h"

namespace fovea::models {

class Encoder : public Net {
 public:
  enum class Head : uint8_t { kNone, kWords, kLabels, kTokenLabels };
  // What logits of labels mean: one label of several (softmax), each label for itself (sigmoid), or just a number.
  enum class Labelling : uint8_t { kOne, kEach, kNumber };

  virtual Head head() const = 0;
  // The last states of all words, sentence after sentence without padding, f32 [sum of lengths, E].
  virtual Tensor states(const data::SourceBatch& source) = 0;
  // Where every layer and head looks, of sentences of one length.
  virtual LayerLooks looks(const data::SourceBatch& source) = 0;
  // What the head says of states(): kWords logits [rows, V], kTokenLabels [rows, labels], kLabels [sentences, labels]. `rows`, where
  // defined, chooses some of them (i32; not for kLabels).
  virtual Tensor logits(const data::SourceBatch& source, const Tensor& rows = {}) = 0;
  // One vector a sentence, f32 [B, E], pooled as the model's config says.
  virtual Tensor embed(const data::SourceBatch& source) = 0;

  virtual const std::vector<std::string>& labels() const = 0;
  virtual Labelling labelling() const = 0;
  virtual int64_t vocab() const = 0;
  virtual int64_t width() const = 0;
  // The most words of a text, [CLS] and [SEP] among them.
  virtual int64_t longest() const = 0;
};

}  // namespace fovea::models
