// Target prefixes of a Transformer that grow word by word. Keys and values of what was written stay where they were made; a prefix is
// a list of places, so beams share what they have in common, and reordering them copies numbers of places and no cache.
#pragma once

#include <vector>

#include "fovea/models/transformer.h"

namespace fovea::models {

class TransformerDecoding final : public Decoding {
 public:
  TransformerDecoding(Transformer& model, const data::SourceBatch& source, int64_t beams);

  int64_t sentences() const override { return encoded_.lengths.dim(0); }
  int64_t beams() const override { return beams_; }
  Tensor step(const Tensor& words, Tensor* look) override;
  void reorder(const Tensor& parents) override;
  void keep(const Tensor& sentences) override;

 private:
  // Of one layer: for each step, what its rows added, [rows, 1, heads, width].
  struct Past {
    std::vector<Tensor> keys, values;
  };
  // The prefix of each row, put together: [rows, steps, heads, width].
  Tensor prefixes(const std::vector<Tensor>& steps) const;
  nn::AttentionMemory extend(size_t layer, const nn::AttentionMemory& newest);

  Transformer* model_;
  Transformer::Encoded encoded_;
  int64_t beams_, position_ = 0;
  std::vector<Past> past_;                    // by layer
  std::vector<std::vector<int32_t>> places_;  // [row][step]: which row of that step is part of the prefix
};

}  // namespace fovea::models
