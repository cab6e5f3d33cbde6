// One vector a picture.
#pragma once

#include <span>

#include "fovea/data/picture.h"
#include "fovea/run/picture_encoder.h"

namespace fovea::decode {

// f32 [pictures, width], whatever their sizes and channels. Throws for a model whose numbers are not finite.
Tensor embed_pictures(const run::PictureEncoder& model, std::span<const data::Picture> pictures);

}  // namespace fovea::decode
