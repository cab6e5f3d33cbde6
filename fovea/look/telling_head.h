// Where a page about one token opens.
#pragma once

#include <optional>

#include "fovea/look/atlas.h"

namespace fovea::look {

// Places in an atlas, counted from 0: not the model's numbers.
struct HeadPlace {
  int stack = 0, layer = 0, head = 0;
  friend bool operator==(const HeadPlace&, const HeadPlace&) = default;
};

// The head in which the chosen row says most: it has the largest weight on a key that is neither a special token (its label is
// like <eos> or [SEP]) nor, in self-attention, the token itself. The first of several. None where no row is chosen, or sees such a
// key.
std::optional<HeadPlace> telling_head(const Atlas& atlas);

}  // namespace fovea::look
