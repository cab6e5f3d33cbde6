// From a picture to the numbers that a model reads.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "fovea/data/picture.h"
#include "fovea/tensor/tensor.h"

namespace fovea::data {

// The rectangle whose upper left pixel is (top, left). Throws where it is not within the picture.
Picture crop(const Picture& picture, int64_t top, int64_t left, int64_t height, int64_t width);

// The middle: top = floor((H - height) / 2), left alike. Where the picture is smaller it lies in the middle of black, with
// ceil((height - H) / 2) rows above it, as Hugging Face's center_crop has it.
Picture centre_crop(const Picture& picture, int64_t height, int64_t width);

// y = (scale x - mean[c]) / std[c]; of a grey picture c = 0.
struct Normalise {
  float scale = 1.0f / 255;
  std::array<float, 3> mean = {0, 0, 0}, std = {1, 1, 1};
};
// f32 [height, width, channels].
Tensor normalised(const Picture& picture, const Normalise& how = {});
// The same into memory of height * width * channels numbers, such as a row of a batch.
void normalise_into(const Picture& picture, const Normalise& how, std::span<float> out);

}  // namespace fovea::data
