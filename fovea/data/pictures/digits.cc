#include "fovea/data/pictures/digits.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/data/pictures/handwriting.h"
#include "fovea/data/pictures/prepare.h"

namespace fovea::data {
namespace {

constexpr auto kSide = static_cast<float>(kDigitSide);
constexpr float kMargin = 1.5f;  // black around the ink
constexpr int kPieceTries = 100;
constexpr int kInkOfPiece = 8;  // so many bright pixels, at least

int bright_pixels(const Picture& picture) {
  return static_cast<int>(
      std::count_if(picture.pixels.begin(), picture.pixels.end(), [](uint8_t v) { return v >= 128; }));
}

void lay_brighter(const Picture& piece, int64_t top, int64_t left, Picture& field) {
  for (int64_t y = 0; y < piece.height; ++y)
    for (int64_t x = 0; x < piece.width; ++x)
      *field.at(top + y, left + x) = std::max(*field.at(top + y, left + x), *piece.at(y, x));
}

}  // namespace

Picture draw_digit(int digit, Random& random) {
  std::vector<Stroke> strokes = write_digit(digit, random);
  const float half_width = random.uniform(0.75f, 1.55f), high = random.uniform(17, 21);
  const float ink = random.uniform(215, 255.9f);
  Point low{1e9f, 1e9f}, top{-1e9f, -1e9f};
  for (const Stroke& stroke : strokes)
    for (const Point& p : stroke) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      top = {std::max(top.x, p.x), std::max(top.y, p.y)};
    }
  const float scale = (high - 2 * half_width) / std::max(top.x - low.x, top.y - low.y);
  // Near the middle, and wholly inside.
  const auto moved_by = [&](float from, float to) {
    const float room = kSide / 2 - kMargin - half_width - scale * (to - from) / 2;
    return kSide / 2 + std::clamp(1.2f * random.normal(), -room, room) - scale * (from + to) / 2;
  };
  const float right = moved_by(low.x, top.x), down = moved_by(low.y, top.y);
  Coverage coverage(kDigitSide, kDigitSide);
  for (Stroke& stroke : strokes) {
    for (Point& p : stroke) p = {p.x * scale + right, p.y * scale + down};
    coverage.add_line(stroke, half_width);
  }
  Picture picture(kDigitSide, kDigitSide, 1);
  std::ranges::transform(coverage.values(), picture.pixels.begin(),
                         [&](float v) { return static_cast<uint8_t>(v * ink); });
  return picture;
}

Point ink_centre(const Picture& picture) {
  int64_t left = picture.width, right = -1, top = picture.height, bottom = -1;
  for (int64_t y = 0; y < picture.height; ++y)
    for (int64_t x = 0; x < picture.width; ++x)
      if (std::any_of(picture.at(y, x), picture.at(y, x) + picture.channels,
                      [](uint8_t v) { return v > 0; })) {
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::min(top, y);
        bottom = std::max(bottom, y);
      }
  if (right < 0) return {static_cast<float>(picture.width) / 2, static_cast<float>(picture.height) / 2};
  return {static_cast<float>(left + right + 1) / 2, static_cast<float>(top + bottom + 1) / 2};
}

Field scatter(const Picture& digit, Random& random, const std::function<Picture(Random&)>& other) {
  check(digit.channels == 1 && digit.height <= kFieldSide && digit.width <= kFieldSide, "digits",
        "a picture of {} x {} x {} for a field of {} x {}: expected a grey one that fits", digit.height,
        digit.width, digit.channels, kFieldSide, kFieldSide);
  Field field{Picture(kFieldSide, kFieldSide, 1), Picture(kFieldSide, kFieldSide, 1), {}, 0, 0};
  field.top = random.below(kFieldSide - digit.height + 1);
  field.left = random.below(kFieldSide - digit.width + 1);
  lay_brighter(digit, field.top, field.left, field.mask);
  field.picture = field.mask;
  for (int64_t i = 0; i < kPieces; ++i) {
    const Picture whole = other(random);
    check(whole.channels == 1 && whole.height >= kPieceSide && whole.width >= kPieceSide, "digits",
          "a picture of {} x {} x {} to cut a piece from: expected a grey one of {} x {} or more",
          whole.height, whole.width, whole.channels, kPieceSide, kPieceSide);
    Picture piece;
    for (int attempt = 0; attempt < kPieceTries; ++attempt) {
      piece = crop(whole, random.below(whole.height - kPieceSide + 1),
                   random.below(whole.width - kPieceSide + 1), kPieceSide, kPieceSide);
      if (bright_pixels(piece) >= kInkOfPiece) break;
    }
    lay_brighter(piece, random.below(kFieldSide - kPieceSide + 1), random.below(kFieldSide - kPieceSide + 1),
                 field.picture);
  }
  const Point centre = ink_centre(digit);
  field.centre = {centre.x + static_cast<float>(field.left), centre.y + static_cast<float>(field.top)};
  return field;
}

}  // namespace fovea::data
