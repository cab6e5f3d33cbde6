// A line and its counterpart.
#pragma once

#include <string>
#include <vector>

#include "fovea/base/link.h"

namespace fovea::data {

using fovea::Link;

struct Pair {
  std::string source, target;
  std::vector<Link> links;  // the word alignment, where it is known
  friend bool operator==(const Pair&, const Pair&) = default;
};

}  // namespace fovea::data
