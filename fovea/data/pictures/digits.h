// Digits as pictures: grey, white ink on black as MNIST has it; alone on 28 x 28 pixels, or somewhere on a field of 60 x 60 among pieces
// of others.
#pragma once

#include <functional>

#include "fovea/base/random.h"
#include "fovea/data/picture.h"
#include "fovea/data/pictures/coverage.h"

namespace fovea::data {

inline constexpr int64_t kDigitSide = 28, kFieldSide = 60;
inline constexpr int64_t kPieces = 4, kPieceSide = 8;

// A digit (0 to 9) in a hand of its own: 17 to 21 pixels high where it is not wider than that, near the middle.
Picture draw_digit(int digit, Random& random);

// The digit at a random place of a black field with four 8 x 8 pieces of others, which other() gives. Pieces have ink in them; where
// things lie on each other, the brighter one shows. `digit` must fit the field.
struct Field {
  Picture picture;            // kFieldSide x kFieldSide
  Picture mask;               // the digit alone
  Point centre;               // of the smallest box around the digit's ink, in pixels
  int64_t top = 0, left = 0;  // where the picture of the digit lies
};
Field scatter(const Picture& digit, Random& random, const std::function<Picture(Random&)>& other);

// The middle of the smallest box that holds every pixel that is not black; the middle of the picture where all are.
Point ink_centre(const Picture& picture);

}  // namespace fovea::data
