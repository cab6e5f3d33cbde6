#include <fmt/format.h>

#include <algorithm>

#include "fovea/look/colors.h"
#include "fovea/look/escape.h"
#include "fovea/look/font.h"
#include "fovea/look/glimpse_path.h"
#include "fovea/look/picture_map.h"
#include "fovea/look/picture_tile_size.h"
#include "fovea/look/svg_drawing.h"
#include "fovea/look/svg_title.h"

namespace fovea::look {
namespace {

constexpr double kEdge = 16, kSeen = 64, kLineHigh = 76, kDisc = 9;

const Color& glimpse_color(size_t i) { return kHeadColors[i % kHeadColors.size()]; }

class PathDrawing {
 public:
  explicit PathDrawing(const GlimpsePath& path) : path_(path), size_(tile_size(path.picture, 360)) {
    scale_ = size_.width / static_cast<double>(path.picture.width);
    for (const Glimpse& glimpse : path.glimpses) scales_ = std::max(scales_, glimpse.sizes.size());
    // What the eye saw stands beside the picture in columns, as many lines each as the picture has room for.
    const auto lines = static_cast<size_t>(std::max(1.0, size_.height / kLineHigh));
    const size_t columns = (path.glimpses.size() + lines - 1) / lines;
    lines_ = (path.glimpses.size() + columns - 1) / columns;
    column_ = 34 + static_cast<double>(scales_) * (kSeen + 6);
    width_ = 2 * kEdge + size_.width + 12 + static_cast<double>(columns) * column_;
  }

  std::string draw() const {
    Drawing drawing;
    drawing.width = width_;
    const Title title = svg_title(path_.title(), width_);
    const double top = std::max(title.height, kEdge);
    drawing.elements = title.elements;
    drawing.elements +=
        fmt::format("<g transform=\"translate({} {:.6g})\">\n", kEdge, top) + over_picture() + "</g>\n";
    drawing.elements +=
        fmt::format("<g transform=\"translate({:.6g} {:.6g})\">\n", kEdge + size_.width + 20, top) + seen() +
        "</g>\n";
    drawing.height = top + std::max(size_.height, static_cast<double>(lines_) * kLineHigh) + kEdge;
    return svg_of({drawing});
  }

 private:
  // Squares may leave the picture, but not its frame.
  std::string over_picture() const {
    std::string out =
        fmt::format("<clipPath id=\"frame\"><rect width=\"{:.6g}\" height=\"{:.6g}\"/></clipPath>\n",
                    size_.width, size_.height);
    out += svg_image(path_.picture, "", 0, 0, size_.width, size_.height) +
           "<g clip-path=\"url(#frame)\" fill=\"none\">\n";
    std::string way;
    for (size_t i = 0; i < path_.glimpses.size(); ++i) {
      const Glimpse& glimpse = path_.glimpses[i];
      for (size_t s = glimpse.sizes.size(); s-- > 0;) {
        const double side = static_cast<double>(glimpse.sizes[s]) * scale_;
        out += fmt::format(
            "<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\" stroke=\"{}\" "
            "stroke-width=\"{}\" stroke-opacity=\"{}\"/>\n",
            x(glimpse) - side / 2, y(glimpse) - side / 2, side, side, glimpse_color(i).hex(), s == 0 ? 2 : 1,
            s == 0 ? 1 : 0.45);
      }
      way += fmt::format("{}{:.6g} {:.6g}", i ? "L" : "M", x(glimpse), y(glimpse));
    }
    out += fmt::format(
        "<path d=\"{0}\" stroke=\"#000\" stroke-opacity=\"0.5\" stroke-width=\"4\"/><path d=\"{0}\" "
        "stroke=\"#fff\" stroke-width=\"2\"/>\n</g>\n",
        way);
    for (size_t i = 0; i < path_.glimpses.size(); ++i)
      out += disc(i, std::clamp(x(path_.glimpses[i]), 0.0, size_.width),
                  std::clamp(y(path_.glimpses[i]), 0.0, size_.height));
    return out;
  }

  std::string disc(size_t i, double x, double y) const {
    return fmt::format(
        "<circle cx=\"{0:.6g}\" cy=\"{1:.6g}\" r=\"{2}\" fill=\"{3}\" stroke=\"#fff\" stroke-width=\"1.5\"/>"
        "<text x=\"{0:.6g}\" y=\"{4:.6g}\" font-size=\"11\" font-weight=\"600\" text-anchor=\"middle\" "
        "fill=\"#fff\">{5}</text>\n",
        x, y, kDisc, glimpse_color(i).hex(), y + 4, i + 1);
  }

  std::string seen() const {
    std::string out;
    for (size_t i = 0; i < path_.glimpses.size(); ++i) {
      const double left = static_cast<double>(i / lines_) * column_,
                   top = static_cast<double>(i % lines_) * kLineHigh;
      out += disc(i, left + kDisc, top + kSeen / 2);
      for (size_t s = 0; s < path_.glimpses[i].sizes.size(); ++s)
        out += svg_image(retina(path_, i, s), "", left + 28 + static_cast<double>(s) * (kSeen + 6), top,
                         kSeen, kSeen);
    }
    return out;
  }

  double x(const Glimpse& glimpse) const { return static_cast<double>(glimpse.x) * scale_; }
  double y(const Glimpse& glimpse) const { return static_cast<double>(glimpse.y) * scale_; }

  const GlimpsePath& path_;
  TileSize size_;
  double scale_ = 1, column_ = 0, width_ = 0;
  size_t scales_ = 0, lines_ = 1;
};

}  // namespace

std::string to_svg(const GlimpsePath& path) {
  path.check();
  return PathDrawing(path).draw();
}

}  // namespace fovea::look
