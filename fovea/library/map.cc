#include <algorithm>
#include <numeric>
#include <ostream>

#include "fovea/base/error.h"
#include "fovea/library/arrays.h"
#include "fovea/library/map_contents.h"
#include "fovea/look/atlas_select.h"
#include "fovea/look/atlas_svg.h"
#include "fovea/look/atlas_terminal.h"
#include "fovea/look/html.h"
#include "fovea/look/json.h"
#include "fovea/look/picture_html.h"
#include "fovea/look/picture_svg.h"
#include "fovea/look/picture_terminal.h"
#include "fovea/look/png.h"
#include "fovea/look/svg.h"
#include "fovea/look/terminal.h"

namespace fovea {
namespace {

using What = decltype(Map::Contents::what);

const What& contents_of(const std::shared_ptr<const Map::Contents>& contents) {
  check(contents != nullptr, "map", "there is nothing to show: nobody looked, or the model does not look");
  return contents->what;
}

look::Atlas atlas_of(const What& what) {
  if (const auto* atlas = std::get_if<look::Atlas>(&what)) return *atlas;
  if (const auto* picture = std::get_if<look::PictureMap>(&what)) return picture->atlas;
  const auto& map = std::get<look::Map>(what);
  look::Atlas atlas;
  atlas.title = map.title;
  atlas.stacks.push_back(look::stack_of(map));
  return atlas;
}

std::vector<int> numbered(const std::vector<int>& numbers, int count) {
  if (!numbers.empty()) return numbers;
  std::vector<int> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

namespace library {

Map make_map(look::Map map) {
  map.check();
  return Map::Contents::map_of({std::move(map)});
}
Map make_map(look::Atlas atlas) {
  atlas.check();
  return Map::Contents::map_of({std::move(atlas)});
}
Map make_map(look::PictureMap map) {
  map.check();
  return Map::Contents::map_of({std::move(map)});
}

}  // namespace library

std::vector<Map::Attention> Map::attentions() const {
  std::vector<Attention> all;
  if (empty()) return all;
  for (const look::Stack& stack : atlas_of(contents_of(contents_)).stacks)
    all.push_back({stack.name, stack.rows, stack.columns, numbered(stack.layers, stack.depth()),
                   numbered(stack.heads, stack.breadth()), library::array_of(stack.weights)});
  if (const auto* picture = std::get_if<look::PictureMap>(&contents_->what))
    for (Attention& one : all) one.grid_height = picture->grid_height, one.grid_width = picture->grid_width;
  return all;
}

Map Map::select(const Part& part) const {
  const auto ascending = [](std::vector<int> numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  };
  look::Atlas atlas = look::selected(atlas_of(contents_of(contents_)), {.attention = part.attention,
                                                                        .layers = ascending(part.layers),
                                                                        .heads = ascending(part.heads),
                                                                        .token = part.token});
  if (const auto* picture = std::get_if<look::PictureMap>(&contents_->what))
    return library::make_map(
        look::PictureMap{picture->picture, picture->grid_height, picture->grid_width, std::move(atlas)});
  return library::make_map(std::move(atlas));
}

std::string Map::text(int columns, Color color) const {
  if (empty()) return "";
  look::TerminalOptions terminal;
  terminal.max_width = columns;
  terminal.color = color == Color::kTrue  ? look::TerminalOptions::Color::kTrue
                   : color == Color::k256 ? look::TerminalOptions::Color::k256
                                          : look::TerminalOptions::Color::kNone;
  // What a map is of stands in pictures; above a text, people write it themselves.
  auto what = contents_->what;
  if (auto* map = std::get_if<look::Map>(&what)) {
    map->title.clear();
    terminal.head = look::kEveryHead;
    return look::to_terminal(*map, terminal);
  }
  if (auto* picture = std::get_if<look::PictureMap>(&what)) {
    picture->atlas.title.clear();
    return look::to_terminal(*picture, terminal);
  }
  auto& atlas = std::get<look::Atlas>(what);
  atlas.title.clear();
  return look::to_terminal(atlas, {.terminal = terminal});
}

std::string Map::svg() const {
  return std::visit([](const auto& what) { return look::to_svg(what); }, contents_of(contents_));
}
std::string Map::png(double scale) const { return look::to_png(svg(), scale); }
std::string Map::html() const {
  return std::visit([](const auto& what) { return look::to_html(what); }, contents_of(contents_));
}
std::string Map::json() const {
  return std::visit([](const auto& what) { return look::to_json(what); }, contents_of(contents_));
}

std::ostream& operator<<(std::ostream& out, const Map& map) { return out << map.text(); }

Map map_of(const ArrayView& weights, std::vector<std::string> rows, std::vector<std::string> columns,
           std::string title) {
  check(weights.data != nullptr, "map", "there are no weights");
  look::Map map;
  map.weights = library::tensor_of(weights, "weights").copy();
  map.rows = std::move(rows);
  map.columns = std::move(columns);
  map.title = std::move(title);
  return library::make_map(std::move(map));
}

}  // namespace fovea
