#include "fovea/look/atlas_svg.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/look/svg_drawing.h"
#include "fovea/look/svg_grid.h"
#include "fovea/look/svg_title.h"

namespace fovea::look {
std::string to_svg(const Atlas& atlas, const AtlasSvgOptions& options) {
  atlas.check();
  constexpr int64_t kMostHeads = 4000;
  int64_t heads = 0;
  for (const Stack& stack : atlas.stacks) heads += int64_t{stack.depth()} * stack.breadth();
  check(heads <= kMostHeads, "svg", "{} heads: expected {} or fewer; choose layers or heads", heads,
        kMostHeads);
  std::vector<Drawing> drawings;
  for (const Stack& stack : atlas.stacks) {
    if (stack.row >= 0 && !options.grid)
      drawings.push_back(drawing_of(row_map(stack), {}));
    else if (atlas.is_one_head() && !options.grid)
      drawings.push_back(drawing_of(head_map(stack, 0, 0), {}));
    else
      drawings.push_back(drawing_of_heads(stack, options.shared_scale, heads));
  }
  double width = 420;
  for (const Drawing& drawing : drawings) width = std::max(width, drawing.width);
  const Title title = svg_title(atlas.title, width);
  if (title.height > 0)
    drawings.insert(drawings.begin(), {.width = width, .height = title.height, .elements = title.elements});
  return svg_of(drawings);
}

}  // namespace fovea::look
