// Texts that a GPT continues. Keys and values of what was read stay where they were made.
#pragma once

#include <vector>

#include "fovea/models/gpt.h"

namespace fovea::models {

class GptContinuation final : public Continuation {
 public:
  GptContinuation(Gpt& model, int64_t texts);

  Tensor read(const Tensor& words, Tensor* look) override;
  void choose(const Tensor& rows) override;
  int64_t length() const override { return length_; }

 private:
  // Of one layer: rows of keys and values, and for each text where those of its words are, in order.
  struct Past {
    std::vector<Tensor> made;
    std::vector<std::vector<const float*>> rows;
  };
  // Words [B, T] as rows, text after text, from position length_ on.
  Tensor embed(const Tensor& words) const;
  // The states of T words each: all at once where nothing was read before, otherwise one by one.
  void read_whole(const Tensor& x, int64_t words);
  void read_one(const Tensor& x, Tensor* look);

  Gpt* model_;
  int64_t texts_, length_ = 0;
  std::vector<Past> past_;  // by layer
};

}  // namespace fovea::models
