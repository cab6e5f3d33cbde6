#include "fovea/look/atlas_svg.h"

#include "fovea/base/error.h"
#include "fovea/look/escape.h"
#include "fovea/look/font.h"
#include "fovea/look/svg_drawing.h"
#include "fovea/look/svg_grid.h"

namespace fovea::look {
namespace {

Drawing heading(const std::string& title) {
  Drawing drawing;
  drawing.width = std::min(text_width(title, 16) + 32, 900.0);
  drawing.height = 34;
  const auto columns = static_cast<int>((drawing.width - 32) / (16 * kEm) + 1e-6);
  drawing.elements = fmt::format(
      "<title>{}</title>\n<text x=\"16\" y=\"26\" font-size=\"16\" font-weight=\"600\">{}</text>\n",
      xml(title), xml(elide(title, columns)));
  return drawing;
}

}  // namespace

std::string to_svg(const Atlas& atlas, const AtlasSvgOptions& options) {
  atlas.check();
  constexpr int64_t kMostHeads = 4000;
  int64_t heads = 0;
  for (const Stack& stack : atlas.stacks) heads += int64_t{stack.depth()} * stack.breadth();
  check(heads <= kMostHeads, "svg", "{} heads: expected {} or fewer; choose layers or heads", heads,
        kMostHeads);
  std::vector<Drawing> drawings;
  if (!atlas.title.empty()) drawings.push_back(heading(atlas.title));
  for (const Stack& stack : atlas.stacks) {
    if (stack.row >= 0 && !options.grid)
      drawings.push_back(drawing_of(row_map(stack), {}));
    else if (atlas.is_one_head() && !options.grid)
      drawings.push_back(drawing_of(head_map(stack, 0, 0), {}));
    else
      drawings.push_back(drawing_of_heads(stack, options.shared_scale, heads));
  }
  return svg_of(drawings);
}

}  // namespace fovea::look
