// A model that looks at pictures, and labels them where it has labels, ready to run. Immutable, and safe to use from any number of threads. A picture's numbers
// have the same bits whatever is looked at beside it.
#pragma once

#include <string>
#include <vector>

#include "fovea/data/pictures/input.h"
#include "fovea/run/look.h"
#include "fovea/run/runner.h"
#include "fovea/tensor/tensor.h"

namespace fovea::run {

struct PictureEncoderInfo {
  data::PictureInput input;         // how pictures are prepared
  int64_t width = 0;                // of a picture's vector
  std::vector<std::string> labels;  // none: it has no head
  // Attention to grid x grid patches, row by row, after a class token and maybe others; 0: it has none.
  int64_t layers = 0, heads = 0, grid = 0, first_tokens = 1;
  int64_t glimpses = 0;  // of an eye that moves; 0: it sees the whole picture at once
};

// Where an eye went over a picture.
struct GazePath {
  struct Glance {
    float x, y;   // the centre, in pixels of the prepared picture from its upper left corner
    Tensor seen;  // f32 [scales, cells, cells, channels]: what the retina gave, as prepared() has values
  };
  std::vector<Glance> glances;
  std::vector<int64_t> sides;  // of the square of each scale around the centre, in pixels
};

class PictureEncoder : public Runner {
 public:
  const PictureEncoderInfo& info() const { return info_; }

  // Pictures f32 [pictures, size, size, channels], as data::prepared() makes them; others throw.
  // One vector each, f32 [pictures, width].
  Tensor embed(const Tensor& pictures) const;
  // f32 [pictures, labels]. Throws for a model without labels.
  Tensor logits(const Tensor& pictures) const;
  // Of a model whose eye moves (info().glimpses > 0), the path over each picture; others throw.
  std::vector<GazePath> gaze(const Tensor& pictures) const;
  // Self-attention (Site::kEncoder) of the layers and heads asked for, an entry for each picture: [heads, tokens, tokens], the class
  // token first. Throws for a model without attention.
  std::vector<Looked> look(const Tensor& pictures, const LookAt& at) const;
  // The last hidden states, f32 [pictures, tokens, width]. Throws for a model that has none.
  Tensor states(const Tensor& pictures) const;

 protected:
  virtual Tensor vectors(const Tensor& pictures) const = 0;
  virtual Tensor labels_of(const Tensor& vectors) const = 0;
  virtual std::vector<GazePath> paths(const Tensor&) const { return {}; }
  // Called where info().layers > 0.
  virtual std::vector<Looked> looks(const Tensor& pictures, const LookAt& at) const;
  virtual Tensor scores(const Tensor& pictures) const { return labels_of(vectors(pictures)); }
  virtual Tensor last_states(const Tensor& pictures) const;

  PictureEncoderInfo info_;
};

}  // namespace fovea::run
