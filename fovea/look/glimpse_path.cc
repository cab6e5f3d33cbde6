#include "fovea/look/glimpse_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/data/pictures/resize.h"
#include "fovea/look/colors.h"
#include "fovea/look/escape.h"
#include "fovea/look/html_page.h"
#include "fovea/look/picture_map.h"
#include "fovea/look/width.h"

namespace fovea::look {

std::string GlimpsePath::title() const {
  const std::string said = fmt::format("{} ({:.2f})", label, probability);
  return name.empty() ? said : fmt::format("{} → {}", name, said);
}

void GlimpsePath::check() const {
  constexpr size_t kMost = 1000;
  check_shown(picture);
  fovea::check(!glimpses.empty() && glimpses.size() <= kMost, "look", "{} glimpses: expected 1 to {}",
               glimpses.size(), kMost);
  fovea::check(probability >= 0 && probability <= 1.001f, "look", "a probability of {}: expected 0 to 1",
               probability);
  const auto longest = static_cast<float>(data::Picture::kMaxSide);
  for (const Glimpse& glimpse : glimpses) {
    fovea::check(std::abs(glimpse.x) <= longest && std::abs(glimpse.y) <= longest, "look",
                 "a glimpse at ({}, {}): expected a point near the picture", glimpse.x, glimpse.y);
    fovea::check(!glimpse.sizes.empty(), "look", "a glimpse without sizes: expected one for each scale");
    for (const float size : glimpse.sizes)
      fovea::check(size > 0 && size <= 4096, "look",
                   "a glimpse of {} pixels: expected more than 0, and at most 4096", size);
  }
}

data::Picture retina(const GlimpsePath& path, size_t glimpse, size_t scale) {
  const Glimpse& at = path.glimpses[glimpse];
  const data::Picture whole = as_rgb(path.picture);
  const auto side = std::max<int64_t>(1, std::lround(at.sizes[scale])),
             pixels = std::max<int64_t>(1, std::lround(at.sizes.front()));
  const int64_t top = std::lround(at.y - static_cast<float>(side) / 2),
                left = std::lround(at.x - static_cast<float>(side) / 2);
  data::Picture seen(side, side, 3);
  for (int64_t y = std::max<int64_t>(0, -top); y < std::min(side, whole.height - top); ++y)
    for (int64_t x = std::max<int64_t>(0, -left); x < std::min(side, whole.width - left); ++x)
      std::copy_n(whole.at(top + y, left + x), 3, seen.at(y, x));
  return side == pixels ? seen : data::resize(seen, pixels, pixels, data::Filter::kArea);
}

namespace {

std::string glimpse_json(const Glimpse& glimpse) {
  return fmt::format("{{\"x\":{},\"y\":{},\"sizes\":{}}}", glimpse.x, glimpse.y,
                     json_list(glimpse.sizes, [](float size) { return fmt::format("{}", size); }));
}

}  // namespace

std::string to_json(const GlimpsePath& path) {
  path.check();
  return fmt::format("{{\"label\":{},\"probability\":{},\"picture\":\"{}\",\"glimpses\":{}}}\n",
                     json_string(path.label), path.probability, data_uri(path.picture, 1024),
                     json_list(path.glimpses, glimpse_json));
}

std::string to_html(const GlimpsePath& path) {
  path.check();
  std::string seen;
  for (size_t i = 0; i < path.glimpses.size(); ++i) {
    seen += i ? ",[" : "[";
    for (size_t s = 0; s < path.glimpses[i].sizes.size(); ++s)
      seen += fmt::format("{}\"{}\"", s ? "," : "", data_uri(retina(path, i, s), 128));
    seen += "]";
  }
  const std::string data = fmt::format(
      "{{\"stacks\":[]{},\"picture\":\"{}\",\"width\":{},\"height\":{},\"glimpses\":{},\"seen\":[{}]}}",
      color_data(), data_uri(path.picture, 1024), path.picture.width, path.picture.height,
      json_list(path.glimpses, glimpse_json), seen);
  return filled_page("glimpse.html", xml(path.title()), {"style.css", "glimpse.css"}, data,
                     {"weights.js", "glimpse.js"});
}

}  // namespace fovea::look
