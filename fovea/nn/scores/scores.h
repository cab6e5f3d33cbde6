// The rows of the table of scores, each defined in the file of its name (the dot family in dot.cc).
#pragma once

#include "fovea/nn/scores/score.h"

namespace fovea::nn::scores {

Score dot();
Score scaled_dot();
Score mean_dot();
Score general();
Score additive();
Score concat();
Score location();

}  // namespace fovea::nn::scores
