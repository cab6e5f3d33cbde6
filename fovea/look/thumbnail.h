// A head made small: at a glance a pattern is seen (a diagonal, a stripe, a haze) and no single weight.
#pragma once

#include <vector>

#include "fovea/look/atlas.h"

namespace fovea::look {

struct Thumbnail {
  int width = 0, height = 0;
  std::vector<float> weights;  // [height, width]: means of the weights that fall together
  float most =
      0;  // the largest of them, but for rows that see one place alone (the first of a text that is continued)
  float largest = 0;  // the largest weight of the head itself

  float at(int y, int x) const {
    return weights[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
};

// Head `head` of layer `layer` (places in the stack, from 0) in at most `longest` pixels on each side, and at least one.
// A head that is smaller keeps one pixel for each weight.
Thumbnail thumbnail(const Stack& stack, int layer, int head, int longest);

// Pixels of the sides of each thumbnail of a stack.
struct ThumbnailSize {
  int width = 0, height = 0;
};
ThumbnailSize thumbnail_size(const Stack& stack, int longest);

}  // namespace fovea::look
