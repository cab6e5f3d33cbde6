#include "fovea/look/picture_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/data/pictures/read.h"
#include "fovea/data/pictures/resize.h"
#include "fovea/look/base64.h"

namespace fovea::look {
namespace {

Tile tile_of(const Stack& stack, int layer, int head, int row, std::string label) {
  const int64_t places = stack.weights.dim(3), rows = stack.weights.dim(2);
  const int64_t at = (int64_t{layer} * stack.breadth() + head) * rows + row;
  Tile tile;
  tile.label = std::move(label);
  const float* first = stack.weights.data<float>() + at * places;
  tile.weights.assign(first, first + places);
  tile.most = *std::max_element(tile.weights.begin(), tile.weights.end());
  tile.hard = !stack.chosen.empty();
  if (tile.hard) tile.chosen = stack.chosen[static_cast<size_t>(at)];
  return tile;
}

// "rollout", "class token, layer 2": parts that tell nothing are left out.
std::string group_name(const Stack& stack, bool named, int layer, int head) {
  std::vector<std::string> parts;
  if (named) parts.push_back(stack.name);
  if (layer >= 0) parts.push_back(fmt::format("layer {}", stack.layer_number(layer)));
  if (head >= 0) parts.push_back(fmt::format("head {}", stack.head_number(head)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void add_groups(const Stack& stack, bool named, std::vector<TileGroup>& groups) {
  // The only layer and head of a model have no name; those that were chosen among others do.
  const auto layer_or_none = [&](int l) { return stack.depth() > 1 || stack.layer_number(l) > 0 ? l : -1; };
  const auto head_or_none = [&](int h) { return stack.breadth() > 1 || stack.head_number(h) > 0 ? h : -1; };
  if (stack.rows.size() > 1 && stack.row < 0) {
    for (int layer = 0; layer < stack.depth(); ++layer)
      for (int head = 0; head < stack.breadth(); ++head) {
        TileGroup& group = groups.emplace_back();
        group.name = group_name(stack, named, layer_or_none(layer), head_or_none(head));
        for (int row = 0; row < static_cast<int>(stack.rows.size()); ++row)
          group.tiles.push_back(tile_of(stack, layer, head, row, stack.rows[static_cast<size_t>(row)]));
      }
    return;
  }
  const int row = std::max(stack.row, 0);
  const std::string& word = stack.rows[static_cast<size_t>(row)];
  if (stack.breadth() == 1) {
    TileGroup& group = groups.emplace_back();
    group.name = group_name(stack, named, -1, head_or_none(0));
    for (int layer = 0; layer < stack.depth(); ++layer)
      group.tiles.push_back(
          tile_of(stack, layer, 0, row,
                  layer_or_none(layer) < 0 ? word : fmt::format("layer {}", stack.layer_number(layer))));
    return;
  }
  for (int layer = 0; layer < stack.depth(); ++layer) {
    TileGroup& group = groups.emplace_back();
    group.name = group_name(stack, named, layer_or_none(layer), -1);
    for (int head = 0; head < stack.breadth(); ++head)
      group.tiles.push_back(
          tile_of(stack, layer, head, row, fmt::format("head {}", stack.head_number(head))));
  }
}

}  // namespace

void check_shown(const data::Picture& picture) {
  check(picture.height > 0 && picture.width > 0 && (picture.channels == 1 || picture.channels == 3) &&
            static_cast<int64_t>(picture.pixels.size()) == picture.height * picture.width * picture.channels,
        "look", "a picture of {} x {} x {} with {} bytes: expected all of its pixels", picture.height,
        picture.width, picture.channels, picture.pixels.size());
}

void PictureMap::check() const {
  check_shown(picture);
  fovea::check(grid_height > 0 && grid_width > 0, "look", "a grid of {} x {} places: expected one or more",
               grid_height, grid_width);
  atlas.check();
  for (const Stack& stack : atlas.stacks)
    fovea::check(static_cast<int64_t>(stack.columns.size()) == int64_t{grid_height} * grid_width, "look",
                 "{}: {} keys for a grid of {} x {}: expected one for each place", quote(stack.name),
                 stack.columns.size(), grid_height, grid_width);
}

std::vector<std::string> place_names(int grid_height, int grid_width) {
  std::vector<std::string> names;
  for (int y = 0; y < grid_height; ++y)
    for (int x = 0; x < grid_width; ++x) names.push_back(fmt::format("{},{}", y, x));
  return names;
}

std::vector<TileGroup> tile_groups(const PictureMap& map) {
  std::vector<TileGroup> groups;
  for (const Stack& stack : map.atlas.stacks) add_groups(stack, map.atlas.stacks.size() > 1, groups);
  return groups;
}

std::string data_uri(const data::Picture& picture, int longest) {
  const int64_t side = std::max(picture.height, picture.width);
  const auto smaller = [&](int64_t n) { return std::max<int64_t>(1, n * longest / side); };
  const std::string png =
      data::to_png(side <= longest ? picture
                                   : data::resize(picture, smaller(picture.height), smaller(picture.width),
                                                  data::Filter::kArea));
  return "data:image/png;base64," + base64(reinterpret_cast<const std::byte*>(png.data()), png.size());
}

std::string svg_image(const data::Picture& picture, std::string_view attributes, double x, double y,
                      double width, double height) {
  // Not all programs know `pixelated`: a small picture is embedded in the size that PNG files are drawn in, twice that of the SVG.
  const auto wide = static_cast<int64_t>(2 * width), high = static_cast<int64_t>(2 * height);
  const bool sharp = width >= static_cast<double>(picture.width);
  return fmt::format(
      "<image {}x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\" "
      "preserveAspectRatio=\"none\"{} href=\"{}\"/>\n",
      attributes, x, y, width, height, sharp ? " style=\"image-rendering:pixelated\"" : "",
      sharp ? data_uri(data::resize(picture, high, wide, data::Filter::kArea), 4096)
            : data_uri(picture, 512));
}

}  // namespace fovea::look
