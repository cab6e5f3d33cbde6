#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/data/pictures/resize.h"
#include "fovea/look/colors.h"
#include "fovea/look/glimpse_path.h"
#include "fovea/look/pixels_terminal.h"
#include "fovea/look/width.h"

namespace fovea::look {
namespace {

// The sides of a square in pixels of a picture, as far as they lie in it.
void frame_square(data::Picture& picture, double left, double top, double side, const Color& color) {
  const auto paint = [&](int64_t y, int64_t x) {
    if (y < 0 || x < 0 || y >= picture.height || x >= picture.width) return;
    uint8_t* p = picture.at(y, x);
    p[0] = color.red, p[1] = color.green, p[2] = color.blue;
  };
  const int64_t x0 = std::lround(left), y0 = std::lround(top), x1 = std::lround(left + side) - 1,
                y1 = std::lround(top + side) - 1;
  for (int64_t x = x0; x <= x1; ++x) paint(y0, x), paint(y1, x);
  for (int64_t y = y0; y <= y1; ++y) paint(y, x0), paint(y, x1);
}

}  // namespace

std::string to_terminal(const GlimpsePath& path, const TerminalOptions& options) {
  path.check();
  const int room = std::max(options.max_width, 20);
  const auto columns =
      static_cast<int>(std::min<int64_t>({room, 64, std::max<int64_t>(path.picture.width, 24)}));
  const double scale = static_cast<double>(columns) / static_cast<double>(path.picture.width);
  const int lines =
      std::clamp(static_cast<int>(std::lround(scale * static_cast<double>(path.picture.height) / 2)), 1, 64);
  std::vector<PixelMark> marks;
  for (size_t i = 0; i < path.glimpses.size() && i < 9;
       ++i)  // later points lie where earlier ones do, and are named below
    marks.insert(
        marks.begin(),
        {std::clamp(static_cast<int>(std::lround(path.glimpses[i].y * scale - 0.5) / 2), 0, lines - 1),
         std::clamp(static_cast<int>(std::lround(path.glimpses[i].x * scale - 0.5)), 0, columns - 1),
         static_cast<char>('1' + i)});
  std::vector<std::string> drawn;
  if (options.color != TerminalOptions::Color::kNone) {
    data::Picture picture = data::resize(as_rgb(path.picture), 2 * lines, columns, data::Filter::kArea);
    for (size_t i = 0; i < path.glimpses.size(); ++i) {
      const Glimpse& at = path.glimpses[i];
      const double side = static_cast<double>(at.sizes.front());
      frame_square(picture, (static_cast<double>(at.x) - side / 2) * scale,
                   (static_cast<double>(at.y) - side / 2) * scale, side * scale,
                   kHeadColors[i % kHeadColors.size()]);
    }
    drawn = half_blocks(picture, options.color, marks);
  } else {
    drawn = shades(brightness(path.picture, lines, columns), columns);
    for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark)
      drawn[static_cast<size_t>(mark->row)][static_cast<size_t>(mark->column)] = mark->character;
  }
  std::string out = wrapped(path.title(), room);
  for (const std::string& line : drawn) out += line + "\n";
  for (size_t i = 0; i < path.glimpses.size(); ++i) {
    std::string sizes;
    for (const float size : path.glimpses[i].sizes)
      sizes += fmt::format("{}{:.0f}", sizes.empty() ? "" : ", ", size);
    out += wrapped(fmt::format("{}. at ({:.0f}, {:.0f}), {} pixels", i + 1, path.glimpses[i].x,
                               path.glimpses[i].y, sizes),
                   room);
  }
  return out;
}

}  // namespace fovea::look
