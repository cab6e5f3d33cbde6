// A model that reads texts as a whole, ready to run: states of their tokens, and what its head makes of them. Immutable, and safe to
// use from any number of threads. A text's numbers have the same bits whatever is read beside it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/data/tokenizer.h"
#include "fovea/run/look.h"
#include "fovea/run/runner.h"

namespace fovea::run {

enum class Head : uint8_t { kNone, kTokens, kLabels, kTokenLabels };
// What logits of labels mean: one label of several (softmax), each label for itself (sigmoid), or just a number.
enum class Labelling : uint8_t { kOne, kEach, kNumber };

struct EncoderInfo {
  int64_t vocab = 0, width = 0, layers = 0, heads = 0;
  int64_t longest = 0;  // tokens of a text, special ones among them
  Head head = Head::kNone;
  Labelling labelling = Labelling::kOne;
  std::vector<std::string> labels;
};

// A text with its special tokens. `segments` says of which of two sentences each token is; empty: all are of the first.
struct Text {
  std::span<const int32_t> ids, segments = {};
};

class Encoder : public Runner {
 public:
  const EncoderInfo& info() const { return info_; }

  // The last hidden states of all tokens, text after text, f32 [sum of lengths, width]. With `looked`, one entry for each text.
  virtual Tensor states(std::span<const Text> texts, const LookAt* at = nullptr,
                        std::vector<Looked>* looked = nullptr) const = 0;
  // What the head makes of them: kTokens [rows, V] and kTokenLabels [rows, labels] of the chosen rows of states() (all where `rows` is
  // empty), kLabels [texts, labels].
  virtual Tensor logits(std::span<const Text> texts, std::span<const int32_t> rows = {}) const = 0;
  // One vector a text, f32 [texts, width], pooled as the model's config says.
  virtual Tensor embed(std::span<const Text> texts) const = 0;

 protected:
  EncoderInfo info_;
};

}  // namespace fovea::run
