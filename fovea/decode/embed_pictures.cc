#include "fovea/decode/embed_pictures.h"

#include "fovea/decode/read_lines.h"

namespace fovea::decode {

Tensor embed_pictures(const run::PictureEncoder& model, std::span<const data::Picture> pictures) {
  if (pictures.empty()) return Tensor::empty({0, model.info().width});
  const Tensor vectors = model.embed(data::prepared(pictures, model.info().input));
  for (int64_t i = 0; i < vectors.dim(0); ++i) check_numbers(vectors.slice(i, i + 1), "embed", i + 1);
  return vectors;
}

}  // namespace fovea::decode
