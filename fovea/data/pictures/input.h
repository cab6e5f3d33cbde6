// What a model reads of a picture: its size, and how pixels become numbers. It stands in the model's config.json, so that a picture is
// prepared for running as it was for training.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fovea/data/pictures/prepare.h"
#include "fovea/data/pictures/resize.h"

namespace fovea::data {

// How a picture gets another size: not at all, by stretching it to a square, or by shrinking it until its shorter side is as long as the square's.
enum class Fit : uint8_t { kNone, kStretch, kShorterSide };

struct PictureInput {
  int64_t size = 32;     // height and width
  int64_t channels = 3;  // 1: grey; 3: red, green, blue
  Normalise normalise = {.mean = {0.5f, 0.5f, 0.5f}, .std = {0.5f, 0.5f, 0.5f}};
  // What comes before: it is fitted to a square of this side, and its middle is cut out.
  Fit fit = Fit::kStretch;
  int64_t side = 0;  // 0: size
  Filter filter = Filter::kBicubic;
  bool crop = false;

  int64_t numbers() const { return size * size * channels; }
};

// With these channels and this size. Throws for a picture of another shape where nothing is said to stretch or to cut it.
Picture fitted(const Picture& picture, const PictureInput& input);
// Fitted and normalised: f32 [pictures, size, size, channels]. Each is prepared by itself, on any number of threads.
Tensor prepared(std::span<const Picture> pictures, const PictureInput& input);
// Throws [who] ... unless it is f32 [pictures, size, size, channels] with pictures in it.
void check_prepared(const Tensor& pictures, const PictureInput& input, std::string_view who);

}  // namespace fovea::data
