// Scenes drawn at random, and painted: 32 x 32 pixels, RGB.
#pragma once

#include <vector>

#include "fovea/base/random.h"
#include "fovea/data/picture.h"
#include "fovea/data/pictures/coverage.h"
#include "fovea/data/pictures/scene.h"

namespace fovea::data {

inline constexpr int64_t kSceneSide = 32;

struct SceneOptions {
  int64_t min_shapes = 1, max_shapes = 3;  // within 1 to 3
  float shade = 0.15f;                     // the background is a grey of 1 - shade to 1; of 1 is white
  int64_t clutter = 0;                     // so many short grey lines, beneath the shapes
  float noise = 0;  // standard deviation of what is added to every channel of every pixel, white being 1
};

// Every number of shapes, kind, colour, size and relation is as likely as every other. Objects lie wholly in the picture, do not touch, and
// each has a relation to the next that is clear by a factor of 1.6.
Scene draw_scene(Random& random, const SceneOptions& options = {});

// Paints it; masks, where given, gets the share of each pixel that each object covers.
Picture paint_scene(const Scene& scene, Random& random, const SceneOptions& options = {},
                    std::vector<Coverage>* masks = nullptr);

// Adds to every value of a picture a number of mean 0 and this standard deviation (white being 1), near to normal.
void add_noise(Picture& picture, float deviation, Random& random);

}  // namespace fovea::data
