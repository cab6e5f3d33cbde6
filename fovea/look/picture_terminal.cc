#include "fovea/look/picture_terminal.h"

#include <algorithm>
#include <cmath>

#include "fovea/data/pictures/resize.h"
#include "fovea/look/heat.h"
#include "fovea/look/label.h"
#include "fovea/look/pixels_terminal.h"
#include "fovea/look/terminal_paint.h"
#include "fovea/look/width.h"

namespace fovea::look {
namespace {

constexpr int kApart = 2;  // columns between pictures

class PicturePainter {
 public:
  PicturePainter(const PictureMap& map, const TerminalOptions& options)
      : map_(map), options_(options), groups_(tile_groups(map)), room_(std::max(options.max_width, 20)) {
    size_t tiles = 0;
    for (const TileGroup& group : groups_) tiles += group.tiles.size();
    if (in_color())
      lay_out_pixels(tiles > 24 ? 16 : 24);
    else
      lay_out_shades();
    across_ = std::max(1, (room_ + kApart) / (columns_ + kApart));
  }

  std::string page() const {
    std::string out;
    if (!map_.atlas.title.empty()) out += wrapped(map_.atlas.title, room_);
    const bool alone = groups_.size() > 1;
    if (alone) out += row_of({{bare(), ""}});
    const int most = std::max(options_.max_rows, 1) * 5;
    int shown = 0, left_out = 0, lines = 0;
    std::vector<Part> row;
    const auto put_row = [&](size_t least) {  // where so many pictures are in it
      if (row.size() < least) return;
      out += row_of(row);
      lines += lines_ + 1;
      row.clear();
    };
    for (const TileGroup& group : groups_) {
      if (!group.name.empty() && lines < most) out += wrapped(group.name, room_);
      if (!alone) row.push_back({bare(), ""});
      for (const Tile& tile : group.tiles) {
        put_row(static_cast<size_t>(across_));
        if (lines >= most) {
          ++left_out;
          continue;
        }
        row.push_back({drawn(tile), label_of(tile)});
        ++shown;
      }
      put_row(1);
    }
    return out + notes(shown, left_out);
  }

 private:
  struct Part {
    std::vector<std::string> lines;
    std::string label;
  };

  bool in_color() const { return options_.color != TerminalOptions::Color::kNone; }

  // Pixels of a picture: about `wanted` across, more where there is room for no further one; a whole number for each place where that
  // costs little.
  void lay_out_pixels(int wanted) {
    const int across = std::max(1, (room_ + kApart) / (wanted + kApart));
    const int widest = std::min({room_, 32, (room_ + kApart) / across - kApart});
    columns_ = static_cast<int>(std::min<int64_t>(widest, std::max<int64_t>(map_.picture.width, 12)));
    const int whole = columns_ / map_.grid_width * map_.grid_width;
    if (whole * 4 >= columns_ * 3) columns_ = whole;
    const double high = static_cast<double>(columns_) * static_cast<double>(map_.picture.height) /
                        static_cast<double>(map_.picture.width);
    lines_ = std::clamp(static_cast<int>(std::lround(high / 2)), 1, 64);
    small_ = data::resize(as_rgb(map_.picture), 2 * lines_, columns_, data::Filter::kArea);
  }

  // Two characters for each place, or more for few of them, or fewer for many.
  void lay_out_shades() {
    const int wide = std::max(2, (16 / map_.grid_width + 1) / 2 * 2);
    if (map_.grid_width * wide <= room_) {
      columns_ = map_.grid_width * wide;
      lines_ = map_.grid_height * wide / 2;
    } else {
      columns_ = std::min(map_.grid_width, room_);
      lines_ = std::max(1, map_.grid_height * columns_ / map_.grid_width / 2);
    }
    lines_ = std::min(lines_, 64);
  }

  std::vector<std::string> bare() const {
    return in_color() ? half_blocks(small_, options_.color)
                      : shades(brightness(map_.picture, lines_, columns_), columns_);
  }

  // Places that cell i of n shows, of `places` along one side: first and one past the last.
  static std::pair<int, int> covered(int i, int n, int places) {
    if (n >= places) {
      const int place = (2 * i + 1) * places / (2 * n);
      return {place, place + 1};
    }
    return {i * places / n, ((i + 1) * places + n - 1) / n};
  }
  // The largest share of the tile's largest weight in what a cell shows.
  float share_at(const Tile& tile, int y, int x, int high) const {
    const auto [top, bottom] = covered(y, high, map_.grid_height);
    const auto [left, right] = covered(x, columns_, map_.grid_width);
    float most = 0;
    for (int row = top; row < bottom; ++row)
      for (int column = left; column < right; ++column)
        most = std::max(most, tile.weights[static_cast<size_t>(row * map_.grid_width + column)]);
    return tile.most > 0 ? most / tile.most : 0;
  }
  bool shows_chosen(const Tile& tile, int y, int x, int high) const {
    const auto [top, bottom] = covered(y, high, map_.grid_height);
    const auto [left, right] = covered(x, columns_, map_.grid_width);
    const int row = tile.chosen / map_.grid_width, column = tile.chosen % map_.grid_width;
    return tile.chosen >= 0 && row >= top && row < bottom && column >= left && column < right;
  }

  std::vector<std::string> drawn(const Tile& tile) const {
    if (in_color()) return half_blocks(painted_pixels(tile), options_.color);
    std::vector<float> values;
    for (int y = 0; y < lines_; ++y)
      for (int x = 0; x < columns_; ++x)
        values.push_back(tile.hard ? (shows_chosen(tile, y, x, lines_) ? 1.0f : 0.12f)
                                   : share_at(tile, y, x, lines_));
    return shades(values, columns_);
  }

  data::Picture painted_pixels(const Tile& tile) const {
    data::Picture picture = small_;
    const int high = 2 * lines_;
    const auto paint = [&](int y, int x, const Color& c) {
      uint8_t* p = picture.at(y, x);
      p[0] = c.red, p[1] = c.green, p[2] = c.blue;
    };
    const auto around = [&](int y, int x) {  // beside a pixel of the chosen place
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (y + dy >= 0 && y + dy < high && x + dx >= 0 && x + dx < columns_ &&
              shows_chosen(tile, y + dy, x + dx, high))
            return true;
      return false;
    };
    for (int y = 0; y < high; ++y)
      for (int x = 0; x < columns_; ++x) {
        const uint8_t* p = small_.at(y, x);
        const Color pixel{p[0], p[1], p[2]};
        if (!tile.hard)
          paint(y, x, laid_over(pixel, heat_of(share_at(tile, y, x, high))));
        else if (!shows_chosen(tile, y, x, high))
          paint(y, x, around(y, x) ? kFrame : laid_over(pixel, kUnread));
      }
    return picture;
  }

  std::string label_of(const Tile& tile) const {
    if (tile.hard) return elide_label(tile.label, columns_);
    const std::string number = tile.most == 0 ? "0" : weight_text(tile.most);
    const int left = columns_ - width(number) - 1;
    return left < 2 ? elide_label(tile.label, columns_) : elide_label(tile.label, left) + " " + number;
  }

  std::string row_of(const std::vector<Part>& parts) const {
    std::string out;
    const std::string gap(kApart, ' ');
    for (int line = 0; line < lines_; ++line)
      for (size_t i = 0; i < parts.size(); ++i)
        out +=
            (i ? gap : "") + parts[i].lines[static_cast<size_t>(line)] + (i + 1 == parts.size() ? "\n" : "");
    std::string labels;
    for (size_t i = 0; i < parts.size(); ++i)
      labels += (i ? gap : "") + fit(parts[i].label, columns_, Align::kCenter);
    labels.erase(labels.find_last_not_of(' ') + 1);
    return out + labels + "\n";
  }

  std::string notes(int shown, int left_out) const {
    std::string out;
    const bool hard = groups_.front().tiles.front().hard;
    if (!in_color())
      out +=
          wrapped(hard ? "the first is the picture; @ is the place that was read"
                       : "the first is the picture; then shades ' .:-=+x#%@' from 0 to the largest weight, "
                         "which is named",
                  room_);
    if (left_out > 0)
      out += wrapped(fmt::format("{} of {} attentions shown: choose layers or heads, or write HTML", shown,
                                 shown + left_out),
                     room_);
    return out;
  }

  const PictureMap& map_;
  const TerminalOptions& options_;
  const std::vector<TileGroup> groups_;
  const int room_;
  int columns_ = 1, lines_ = 1, across_ = 1;
  data::Picture small_;  // in colour: the picture in the size that is shown
};

}  // namespace

std::string to_terminal(const PictureMap& map, const TerminalOptions& options) {
  map.check();
  return PicturePainter(map, options).page();
}

}  // namespace fovea::look
