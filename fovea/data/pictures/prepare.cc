#include "fovea/data/pictures/prepare.h"

#include <algorithm>

#include "fovea/base/error.h"

namespace fovea::data {

Picture crop(const Picture& picture, int64_t top, int64_t left, int64_t height, int64_t width) {
  check(top >= 0 && left >= 0 && height > 0 && width > 0 && top <= picture.height - height &&
            left <= picture.width - width,
        "crop", "{} x {} pixels at ({}, {}) of a picture of {} x {}: expected a part of it", width, height,
        left, top, picture.width, picture.height);
  Picture part(height, width, picture.channels);
  for (int64_t y = 0; y < height; ++y)
    std::copy_n(picture.at(top + y, left), width * picture.channels, part.at(y, 0));
  return part;
}

Picture centre_crop(const Picture& picture, int64_t height, int64_t width) {
  check_picture_size(height, width, "the size asked for", "crop");
  const int64_t rows = std::min(height, picture.height), columns = std::min(width, picture.width);
  const Picture middle =
      crop(picture, (picture.height - rows) / 2, (picture.width - columns) / 2, rows, columns);
  if (rows == height && columns == width) return middle;
  Picture field(height, width, picture.channels);
  const int64_t top = (height - rows + 1) / 2, left = (width - columns + 1) / 2;
  for (int64_t y = 0; y < rows; ++y)
    std::copy_n(middle.at(y, 0), columns * picture.channels, field.at(top + y, left));
  return field;
}

void normalise_into(const Picture& picture, const Normalise& how, std::span<float> out) {
  check(out.size() == picture.pixels.size(), "normalise", "{} numbers for a picture of {} x {} x {}",
        out.size(), picture.height, picture.width, picture.channels);
  std::array<float, 3> slope{}, offset{};
  for (size_t c = 0; c < 3; ++c) {
    check(how.std[c] > 0, "normalise", "a standard deviation of {}: expected more than 0", how.std[c]);
    slope[c] = how.scale / how.std[c];
    offset[c] = how.mean[c] / how.std[c];
  }
  const auto channels = static_cast<size_t>(picture.channels);
  for (size_t i = 0; i < out.size(); i += channels)
    for (size_t c = 0; c < channels; ++c)
      out[i + c] = static_cast<float>(picture.pixels[i + c]) * slope[c] - offset[c];
}

Tensor normalised(const Picture& picture, const Normalise& how) {
  Tensor out = Tensor::empty({picture.height, picture.width, picture.channels});
  normalise_into(picture, how, out.span<float>());
  return out;
}

}  // namespace fovea::data
