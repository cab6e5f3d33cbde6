// Labels of pictures.
#pragma once

#include <span>
#include <vector>

#include "fovea/data/picture.h"
#include "fovea/decode/classify.h"
#include "fovea/run/picture_encoder.h"

namespace fovea::decode {

// Probabilities of the labels of each picture, whatever its size and channels. Throws for a model whose numbers are not finite.
std::vector<LabelValues> classify_pictures(const run::PictureEncoder& model,
                                           std::span<const data::Picture> pictures);

}  // namespace fovea::decode
