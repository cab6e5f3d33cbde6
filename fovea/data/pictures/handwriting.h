// Digits written by strokes: where the pen goes, and what becomes of that in somebody's hand.
#pragma once

#include <vector>

#include "fovea/base/random.h"
#include "fovea/data/pictures/coverage.h"

namespace fovea::data {

// What the pen does without lifting: points along its way, close to each other.
using Stroke = std::vector<Point>;

// One of the ways to write a digit (0 to 9), every time a little different: its points move, the whole is narrower or wider, slanted and
// turned. About 1 high, about (0, 0), y down.
std::vector<Stroke> write_digit(int digit, Random& random);

// How many ways there are.
int ways_to_write(int digit);

}  // namespace fovea::data
