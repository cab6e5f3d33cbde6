// Target prefixes of a Transformer that grow word by word, on weights that are laid out for running. Keys and values of what was
// written stay where they were made; a prefix is a list of places, so beams share what they have in common, and reordering them
// copies numbers of places and no cache. TransformerDecoding does the same for every kind of layer.
#pragma once

#include <vector>

#include "fovea/models/transformer.h"

namespace fovea::models {

class TransformerRun final : public Decoding {
 public:
  TransformerRun(Transformer& model, const data::SourceBatch& source, int64_t beams);

  int64_t sentences() const override { return static_cast<int64_t>(lengths_.size()); }
  int64_t beams() const override { return beams_; }
  Tensor step(const Tensor& words, Tensor* look) override;
  void reorder(const Tensor& parents) override;
  void keep(const Tensor& sentences) override;

 private:
  // Of one layer.
  struct Past {
    std::vector<Tensor> steps;                      // for each step, what its rows added: [rows, row_width]
    Tensor memory;                                  // the source's words, sentence after sentence
    std::vector<std::vector<const float*>> source;  // of each sentence
  };
  void encode(const data::SourceBatch& source);
  // Words [rows] at `position`, [rows, width].
  Tensor embed(const Tensor& words, int64_t position) const;

  Transformer* model_;
  int64_t beams_, position_ = 0, longest_ = 0;
  std::vector<int32_t> lengths_;              // of the sources
  std::vector<Past> past_;                    // by layer
  std::vector<std::vector<int32_t>> places_;  // [row][step]: which row of that step is part of the prefix
};

}  // namespace fovea::models
