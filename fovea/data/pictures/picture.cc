#include "fovea/data/picture.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"

namespace fovea::data {

Picture::Picture(int64_t height, int64_t width, int64_t channels, uint8_t value)
    : height(height),
      width(width),
      channels(channels),
      pixels(static_cast<size_t>(height * width * channels), value) {}

void check_picture_size(int64_t height, int64_t width, std::string_view name, std::string_view who) {
  check(height > 0 && width > 0, who, "{}: a picture of {} x {} pixels: expected at least 1 x 1", name, width,
        height);
  check(height <= Picture::kMaxSide && width <= Picture::kMaxSide && height * width <= Picture::kMaxPixels,
        who,
        "{}: a picture of {} x {} pixels: expected {} or fewer on a side and {} million in all; make it "
        "smaller",
        name, width, height, grouped(Picture::kMaxSide), Picture::kMaxPixels / 1'000'000);
}

Picture as_rgb(const Picture& picture) {
  if (picture.channels == 3) return picture;
  Picture rgb(picture.height, picture.width, 3);
  for (size_t i = 0; i < picture.pixels.size(); ++i)
    std::fill_n(rgb.pixels.begin() + static_cast<std::ptrdiff_t>(3 * i), 3, picture.pixels[i]);
  return rgb;
}

Picture as_grey(const Picture& picture) {
  if (picture.channels == 1) return picture;
  Picture grey(picture.height, picture.width, 1);
  for (size_t i = 0; i < grey.pixels.size(); ++i) {
    const uint8_t* rgb = picture.pixels.data() + 3 * i;
    grey.pixels[i] =
        static_cast<uint8_t>((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 32768u) >> 16);
  }
  return grey;
}

}  // namespace fovea::data
