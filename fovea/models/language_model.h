// What every model that continues a text can do. Generating and looking are written against this.
#pragma once

#include <memory>
#include <optional>

#include "fovea/models/looks.h"
#include "fovea/models/net.h"

namespace fovea::models {

// Texts that grow word by word, B of them side by side. Nothing is recorded on a tape.
class Continuation {
 public:
  virtual ~Continuation() = default;
  // Reads T more words of each text, i32 [B, T], and returns logits f32 [B, V] of the word after the last one. `look`, where not
  // null, receives where the last one looked: f32 [layers, B, H, words read so far].
  virtual Tensor read(const Tensor& words, Tensor* look = nullptr) = 0;
  // Text i becomes what text rows[i] was, i32 [B']: texts share what they have in common, and nothing is copied.
  virtual void choose(const Tensor& rows) = 0;
  // How many words were read so far.
  virtual int64_t length() const = 0;
};

class LanguageModel : public Net {
 public:
  // Logits f32 [B, T, V] of the word after each of ids, i32 [B, T]; with `looks`, where every layer and head looked.
  virtual Tensor logits(const Tensor& ids, LayerLooks* looks = nullptr) = 0;
  virtual std::unique_ptr<Continuation> begin(int64_t texts) = 0;

  virtual int64_t vocab() const = 0;
  // Words after which a text is over, as the model's config says; the tokenizer's own end of a text is one, too.
  virtual std::vector<int32_t> ends() const = 0;
  // The most words of a text that it can read; 0: any number.
  virtual int64_t longest() const = 0;
};

}  // namespace fovea::models
