#include "fovea/look/telling_head.h"

#include <algorithm>

namespace fovea::look {
namespace {

bool is_special(const std::string& label) {
  return label.size() > 2 && ((label.starts_with('<') && label.ends_with('>')) ||
                              (label.starts_with('[') && label.ends_with(']')));
}

}  // namespace

std::optional<HeadPlace> telling_head(const Atlas& atlas) {
  std::optional<HeadPlace> found;
  float most = 0;
  for (size_t i = 0; i < atlas.stacks.size(); ++i) {
    const Stack& stack = atlas.stacks[i];
    if (stack.row < 0) continue;
    const bool self = stack.rows == stack.columns;
    const Map row = row_map(stack);  // [layers, heads, keys]
    const float* weight = row.weights.data<float>();
    for (int layer = 0; layer < stack.depth(); ++layer)
      for (int head = 0; head < stack.breadth(); ++head)
        for (int key = 0; key < row.breadth(); ++key, ++weight) {
          if (*weight <= most || (self && key == stack.row) ||
              is_special(stack.columns[static_cast<size_t>(key)]))
            continue;
          most = *weight;
          found = {static_cast<int>(i), layer, head};
        }
  }
  return found;
}

}  // namespace fovea::look
