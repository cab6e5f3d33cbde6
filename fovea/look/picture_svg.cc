#include "fovea/look/picture_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/look/escape.h"
#include "fovea/look/font.h"
#include "fovea/look/heat.h"
#include "fovea/look/label.h"
#include "fovea/look/picture_tile_size.h"
#include "fovea/look/svg_drawing.h"
#include "fovea/look/svg_title.h"

namespace fovea::look {
namespace {

constexpr int kHeatLevels = 32;
constexpr double kStripMargin = 16, kTileGap = 12, kWordSize = 13, kNumberSize = 11;

// Attentions over one picture, in rows.
class PictureStrip {
 public:
  PictureStrip(const PictureMap& map, size_t number)
      : map_(map), groups_(tile_groups(map)), id_(fmt::format("picture{}", number)) {
    size_t tiles = 0, longest = 0;
    for (const TileGroup& group : groups_) {
      tiles += group.tiles.size();
      longest = std::max(longest, group.tiles.size());
    }
    const bool many = tiles > 40;  // small, with room for 12 heads in a row
    size_ = tile_size(map.picture, many ? 96 : 144);
    alone_ = groups_.size() > 1;
    across_ = std::clamp(static_cast<int>(((many ? 1300 : 1080) + kTileGap) / (size_.width + kTileGap)), 1,
                         static_cast<int>(longest) + (alone_ ? 0 : 1));
  }

  Drawing draw() const {
    Drawing drawing;
    drawing.width = std::max(2 * kStripMargin + across_ * (size_.width + kTileGap) - kTileGap,
                             std::clamp(text_width(map_.atlas.title, 18) + 2 * kStripMargin, 320.0, 640.0));
    const Title title = svg_title(map_.atlas.title, drawing.width);
    drawing.elements = title.elements + image();
    double y = std::max(title.height, kStripMargin);
    if (alone_) {
      drawing.elements += bare(kStripMargin, y);
      y += size_.height + 18;
    }
    for (const TileGroup& group : groups_) y = add_group(group, y, drawing.elements);
    drawing.elements += legend(y + 4);
    drawing.height = y + 30;
    return drawing;
  }

 private:
  std::string image() const {
    return "<defs>" +
           svg_image(map_.picture, fmt::format("id=\"{}\" ", id_), 0, 0, size_.width, size_.height) +
           "</defs>\n";
  }

  std::string bare(double x, double y) const {
    return fmt::format("<use href=\"#{}\" x=\"{:.6g}\" y=\"{:.6g}\"/>\n", id_, x, y);
  }

  // Draws it from y on, and returns where it ends.
  double add_group(const TileGroup& group, double y, std::string& out) const {
    if (!group.name.empty()) {
      out += fmt::format(
          "<text x=\"{}\" y=\"{:.6g}\" font-size=\"12\" font-weight=\"600\" fill=\"#51606e\">{}</text>\n",
          kStripMargin, y + 10, xml(group.name));
      y += 18;
    }
    const bool hard = group.tiles.front().hard;
    const double row = size_.height + (hard ? 26 : 40);
    const int first = alone_ ? 0 : 1, count = static_cast<int>(group.tiles.size()) + first;
    if (first == 1) out += bare(kStripMargin, y);
    for (int i = first; i < count; ++i)
      out += tile(group.tiles[static_cast<size_t>(i - first)],
                  kStripMargin + i % across_ * (size_.width + kTileGap), y + i / across_ * row);
    return y + (count + across_ - 1) / across_ * row;
  }

  std::string tile(const Tile& tile, double x, double y) const {
    std::string out =
        fmt::format("<g transform=\"translate({:.6g} {:.6g})\"><use href=\"#{}\"/>\n", x, y, id_);
    out += tile.hard ? framed(tile) : heat(tile);
    const int columns = std::max(2, static_cast<int>((size_.width + kTileGap - 2) / (kWordSize * kEm)));
    out += fmt::format(
        "<text x=\"{:.6g}\" y=\"{:.6g}\" font-size=\"{}\" "
        "text-anchor=\"middle\"><title>{}</title>{}</text>\n",
        size_.width / 2, size_.height + 16, kWordSize, xml(tile.label),
        xml(elide_label(tile.label, columns)));
    if (!tile.hard)
      out += fmt::format(
          "<text x=\"{:.6g}\" y=\"{:.6g}\" font-size=\"{}\" text-anchor=\"middle\" "
          "fill=\"#51606e\">{}</text>\n",
          size_.width / 2, size_.height + 30, kNumberSize, xml(short_weight(tile.most)));
    return out + "</g>\n";
  }

  std::string box(int place) const {
    const int row = place / map_.grid_width, column = place % map_.grid_width;
    const double wide = size_.width / map_.grid_width, high = size_.height / map_.grid_height;
    return fmt::format("M{:.6g} {:.6g}h{:.6g}v{:.6g}h-{:.6g}z", column * wide, row * high, wide, high, wide);
  }

  // Places of one colour are one path.
  std::string heat(const Tile& tile) const {
    std::array<std::string, kHeatLevels> paths;
    for (int place = 0; place < map_.places(); ++place) {
      const float share = tile.most > 0 ? tile.weights[static_cast<size_t>(place)] / tile.most : 0;
      paths[static_cast<size_t>(std::clamp(share, 0.0f, 1.0f) * (kHeatLevels - 1) + 0.5f)] += box(place);
    }
    std::string out = "<g shape-rendering=\"crispEdges\">\n";
    for (size_t level = 0; level < paths.size(); ++level) {
      if (paths[level].empty()) continue;
      const Heat heat = heat_of(static_cast<float>(level) / (kHeatLevels - 1));
      out += fmt::format("<path fill=\"{}\" fill-opacity=\"{:.3g}\" d=\"{}\"/>\n", heat.color.hex(),
                         heat.opacity, paths[level]);
    }
    return out + "</g>\n";
  }

  std::string framed(const Tile& tile) const {
    std::string others;
    for (int place = 0; place < map_.places(); ++place)
      if (place != tile.chosen) others += box(place);
    std::string out =
        fmt::format("<path shape-rendering=\"crispEdges\" fill=\"{}\" fill-opacity=\"{:.3g}\" d=\"{}\"/>\n",
                    kUnread.color.hex(), kUnread.opacity, others);
    if (tile.chosen >= 0) out += frame(tile.chosen);
    return out;
  }

  // At the edge of the picture, too, all of the frame is seen.
  std::string frame(int place) const {
    constexpr double kLine = 2.5;
    const auto inside = [](double v, double most) {
      return std::clamp(v, kLine / 2, std::max(kLine / 2, most - kLine / 2));
    };
    const double wide = size_.width / map_.grid_width, high = size_.height / map_.grid_height;
    const int row = place / map_.grid_width, column = place % map_.grid_width;
    const double left = inside(column * wide, size_.width), top = inside(row * high, size_.height);
    return fmt::format(
        "<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\" fill=\"none\" stroke=\"{}\" "
        "stroke-width=\"{}\"/>\n",
        left, top, inside((column + 1) * wide, size_.width) - left,
        inside((row + 1) * high, size_.height) - top, kFrame.hex(), kLine);
  }

  std::string legend(double y) const {
    std::string out = "<g font-size=\"11\" fill=\"#51606e\">\n";
    if (groups_.front().tiles.front().hard)
      return out +
             fmt::format(
                 "<rect x=\"{0}\" y=\"{1:.6g}\" width=\"10\" height=\"10\" fill=\"none\" stroke=\"{2}\" "
                 "stroke-width=\"2.5\"/><text x=\"{3}\" y=\"{4:.6g}\">the place that was read</text>\n"
                 "</g>\n",
                 kStripMargin + 1, y + 1, kFrame.hex(), kStripMargin + 18, y + 10);
    constexpr double kStep = 4;
    out += fmt::format("<text x=\"{}\" y=\"{:.6g}\">0</text>\n", kStripMargin, y + 10);
    for (int level = 0; level < kHeatLevels; ++level)
      out += fmt::format(
          "<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{}\" height=\"10\" shape-rendering=\"crispEdges\" "
          "fill=\"{}\"/>\n",
          kStripMargin + 12 + level * kStep, y + 1, kStep,
          laid_over({0xb0, 0xb0, 0xb0}, heat_of(static_cast<float>(level) / (kHeatLevels - 1))).hex());
    return out + fmt::format(
                     "<text x=\"{:.6g}\" y=\"{:.6g}\">the largest weight, which stands below each</text>\n"
                     "</g>\n",
                     kStripMargin + 18 + kHeatLevels * kStep, y + 10);
  }

  const PictureMap& map_;
  const std::vector<TileGroup> groups_;
  const std::string id_;
  TileSize size_;
  bool alone_ = false;  // the picture itself stands before all groups, and not before the first tile
  int across_ = 1;
};

}  // namespace

std::string to_svg(std::span<const PictureMap> maps) {
  constexpr int64_t kMostTiles = 2000, kMostPlaces = 400'000;
  int64_t tiles = 0, places = 0;
  for (const PictureMap& map : maps) {
    map.check();
    for (const TileGroup& group : tile_groups(map)) tiles += static_cast<int64_t>(group.tiles.size());
    places += map.atlas.weights();
  }
  check(
      tiles <= kMostTiles && places <= kMostPlaces, "svg",
      "{} attentions with {} places: expected {} and {} or fewer; choose layers or heads, or fewer pictures",
      tiles, places, kMostTiles, kMostPlaces);
  std::vector<Drawing> drawings;
  for (size_t i = 0; i < maps.size(); ++i) drawings.push_back(PictureStrip(maps[i], i).draw());
  return svg_of(drawings);
}

}  // namespace fovea::look
