// Where the layers of a model looked.
#pragma once

#include <vector>

#include "fovea/nn/attend.h"

namespace fovea::models {

// One for each layer: weights [B, H, T, S].
using LayerLooks = std::vector<nn::Seen>;

// Of a model that turns one sequence into another.
struct PairLooks {
  LayerLooks encoder, decoder, cross;
};

}  // namespace fovea::models
