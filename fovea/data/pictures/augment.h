// Training pictures changed a little, so that a model sees none twice. What is done is a function of (seed, step, index) alone: a run that
// was stopped goes on with the same pictures, on any number of threads.
#pragma once

#include <cstdint>

#include "fovea/data/picture.h"

namespace fovea::data {

// Brightness, contrast and, of colour pictures, saturation are each multiplied by a number of [1 - colour, 1 + colour].
struct Augment {
  int64_t shift = 0;  // up to so many pixels in each direction; what comes in repeats the edge
  bool flip = false;  // left and right change places, in one half of the pictures
  float colour = 0;

  bool changes_anything() const { return shift > 0 || flip || colour > 0; }
};

// The picture of row `index` of the data at this step of training.
Picture augmented(const Picture& picture, const Augment& how, uint64_t seed, uint64_t step, uint64_t index);

// The single changes.
// Pixel (y, x) is that of (y - down, x - right), or the nearest that there is.
Picture shifted(const Picture& picture, int64_t down, int64_t right);
Picture flipped(const Picture& picture);
// p' = s (b p) + (1 - s) grey(b p) moved by contrast k about the mean m of the greys: m + k (p' - m).
Picture recoloured(const Picture& picture, float brightness, float contrast, float saturation);

}  // namespace fovea::data
