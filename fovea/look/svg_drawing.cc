#include "fovea/look/svg_drawing.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/look/font.h"

namespace fovea::look {

std::string svg_of(const std::vector<Drawing>& drawings) {
  double width = 0, height = 0;
  for (const Drawing& drawing : drawings) {
    width = std::max(width, std::ceil(drawing.width));
    height += std::ceil(drawing.height);
  }
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
      "{0:.0f} {1:.0f}\" font-family=\"{2}\" fill=\"#1b2733\">\n",
      width, height, kFonts);
  out +=
      "<defs><pattern id=\"hidden\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\">"
      "<rect width=\"6\" height=\"6\" fill=\"#f3f3f1\"/><rect width=\"1.5\" height=\"6\" "
      "fill=\"#d6d4cf\"/></pattern></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  double y = 0;
  for (const Drawing& drawing : drawings) {
    out += fmt::format("<g transform=\"translate(0 {:.0f})\" font-size=\"{:.4g}\">\n", y, drawing.font);
    out += drawing.elements + "</g>\n";
    y += std::ceil(drawing.height);
  }
  return out + "</svg>\n";
}

}  // namespace fovea::look
