// What a model reads of a picture: its size, and how pixels become numbers. It stands in the model's config.json, so that a picture is
// prepared for running as it was for training.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fovea/data/pictures/prepare.h"

namespace fovea::data {

struct PictureInput {
  int64_t size = 32;     // height and width
  int64_t channels = 3;  // 1: grey; 3: red, green, blue
  Normalise normalise = {.mean = {0.5f, 0.5f, 0.5f}, .std = {0.5f, 0.5f, 0.5f}};

  int64_t numbers() const { return size * size * channels; }
};

// With these channels and this size, whatever shape it had (bicubic).
Picture fitted(const Picture& picture, const PictureInput& input);
// Fitted and normalised: f32 [pictures, size, size, channels]. Each is prepared by itself, on any number of threads.
Tensor prepared(std::span<const Picture> pictures, const PictureInput& input);
// Throws [who] ... unless it is f32 [pictures, size, size, channels] with pictures in it.
void check_prepared(const Tensor& pictures, const PictureInput& input, std::string_view who);

}  // namespace fovea::data
