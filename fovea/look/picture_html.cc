#include "fovea/look/picture_html.h"

#include <fmt/format.h>

#include "fovea/base/error.h"
#include "fovea/look/escape.h"
#include "fovea/look/heat.h"
#include "fovea/look/html_page.h"
#include "fovea/look/width.h"

namespace fovea::look {
namespace {

std::string heat_data(const Heat& heat) {
  return fmt::format("[{},{},{},{:.3g}]", heat.color.red, heat.color.green, heat.color.blue, heat.opacity);
}

std::string map_data(const PictureMap& map, size_t first) {
  return fmt::format(
      "{{\"title\":{},\"picture\":\"{}\",\"width\":{},\"height\":{},\"gridWidth\":{},\"gridHeight\":{},"
      "\"first\":{},\"count\":{}}}",
      json_string(clean(map.atlas.title.empty() ? "Attention" : map.atlas.title)),
      data_uri(map.picture, 1024), map.picture.width, map.picture.height, map.grid_width, map.grid_height,
      first, map.atlas.stacks.size());
}

}  // namespace

std::string to_html(std::span<const PictureMap> maps) {
  check(!maps.empty(), "html", "there are no pictures to show");
  int64_t weights = 0;
  for (const PictureMap& map : maps) {
    map.check();
    weights += map.atlas.weights();
  }
  check_page_weights(weights);
  const bool exact = weights <= kMostExact;
  std::string stacks, pictures;
  size_t first = 0;
  for (const PictureMap& map : maps) {
    pictures += (pictures.empty() ? "" : ",") + map_data(map, first);
    first += map.atlas.stacks.size();
    for (const Stack& stack : map.atlas.stacks)
      stacks += (stacks.empty() ? "" : ",") + stack_data(stack, exact);
  }
  const std::string data = fmt::format(
      "{{\"rounded\":{},\"heat\":{},\"unread\":{},\"frame\":\"{}\"{},\"maps\":[{}],\"stacks\":[{}]}}", !exact,
      json_list(kHeat, heat_data), heat_data(kUnread), kFrame.hex(), color_data(), pictures, stacks);
  const std::string& title = maps.front().atlas.title;
  return filled_page("picture.html", title.empty() ? "Attention" : xml(title), {"style.css", "picture.css"},
                     data, {"weights.js", "choices.js", "svg_context.js", "picture.js"});
}

}  // namespace fovea::look
