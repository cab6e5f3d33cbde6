// A link of a word alignment.
#pragma once

#include <cstdint>

namespace fovea {

// Word `source` of the source stands for word `target` of the target. Words are what is between blanks, from 0.
// A link that is not sure is a possible one: right to draw, no fault to leave out (an article that the other
// language does without).
struct Link {
  int32_t source = 0, target = 0;
  bool sure = true;
  friend bool operator==(const Link&, const Link&) = default;
};

}  // namespace fovea
