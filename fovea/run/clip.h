// CLIP (models/clip.h), ready to run.
#pragma once

#include "fovea/models/clip_options.h"
#include "fovea/run/embedding.h"
#include "fovea/run/matcher.h"
#include "fovea/run/stack.h"
#include "fovea/run/vit.h"

namespace fovea::run {

// Its texts. states() are those after the last norm; embed() gives vectors of the width that pictures have, too.
class ClipText final : public Encoder {
 public:
  ClipText(const models::ClipOptions& options, Weights& weights, Precision precision);

  Tensor states(std::span<const Text> texts, const LookAt* at, std::vector<Looked>* looked) const override;
  Tensor logits(std::span<const Text> texts, std::span<const int32_t> rows) const override;
  Tensor embed(std::span<const Text> texts) const override;

 private:
  // Where the vector of a text is read.
  int64_t end_of(const Text& text) const;

  bool largest_id_ends_;
  int32_t eos_;
  Embedding tokens_, positions_;
  Stack layers_;
  Norm norm_;
  Linear projection_;
};

class Clip final : public Matcher {
 public:
  Clip(const models::ClipOptions& options, Weights& weights, Precision precision);

  const Encoder& texts() const override { return texts_; }
  const PictureEncoder& pictures() const override { return pictures_; }

 private:
  ClipText texts_;
  Vit pictures_;
};

}  // namespace fovea::run
