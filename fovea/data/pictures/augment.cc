#include "fovea/data/pictures/augment.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/base/random.h"

namespace fovea::data {
namespace {

// Keeps these numbers apart from those that others draw from the same seed.
constexpr uint64_t kAugmentKey = 0x61756730'0000'0000;

float grey_of(const float* rgb) { return 0.299f * rgb[0] + 0.587f * rgb[1] + 0.114f * rgb[2]; }

}  // namespace

Picture shifted(const Picture& picture, int64_t down, int64_t right) {
  Picture out(picture.height, picture.width, picture.channels);
  for (int64_t y = 0; y < out.height; ++y)
    for (int64_t x = 0; x < out.width; ++x)
      std::copy_n(picture.at(std::clamp<int64_t>(y - down, 0, picture.height - 1),
                             std::clamp<int64_t>(x - right, 0, picture.width - 1)),
                  out.channels, out.at(y, x));
  return out;
}

Picture flipped(const Picture& picture) {
  Picture out(picture.height, picture.width, picture.channels);
  for (int64_t y = 0; y < out.height; ++y)
    for (int64_t x = 0; x < out.width; ++x)
      std::copy_n(picture.at(y, picture.width - 1 - x), out.channels, out.at(y, x));
  return out;
}

Picture recoloured(const Picture& picture, float brightness, float contrast, float saturation) {
  const auto channels = static_cast<size_t>(picture.channels);
  const size_t pixels = picture.pixels.size() / channels;
  double sum = 0;
  for (size_t i = 0; i < pixels; ++i) {
    const uint8_t* p = picture.pixels.data() + channels * i;
    const float rgb[] = {static_cast<float>(p[0]), static_cast<float>(p[channels / 2]),
                         static_cast<float>(p[channels - 1])};
    sum += static_cast<double>(grey_of(rgb));
  }
  const float mean = brightness * static_cast<float>(sum / static_cast<double>(pixels));
  Picture out(picture.height, picture.width, picture.channels);
  for (size_t i = 0; i < pixels; ++i) {
    const uint8_t* p = picture.pixels.data() + channels * i;
    float rgb[3];
    for (size_t c = 0; c < 3; ++c) rgb[c] = brightness * static_cast<float>(p[c * channels / 3]);
    const float grey = grey_of(rgb);
    for (size_t c = 0; c < channels; ++c) {
      const float colour = grey + saturation * (rgb[c] - grey);
      const float value = mean + contrast * (colour - mean);
      out.pixels[channels * i + c] = static_cast<uint8_t>(std::lround(std::clamp(value, 0.0f, 255.0f)));
    }
  }
  return out;
}

Picture augmented(const Picture& picture, const Augment& how, uint64_t seed, uint64_t step, uint64_t index) {
  check(how.shift >= 0 && how.colour >= 0 && how.colour <= 1, "augment",
        "a shift of {} and a colour strength of {}: expected 0 or more, and 0 to 1", how.shift, how.colour);
  const std::array<uint32_t, 4> words = philox(seed, kAugmentKey, step);
  Random random(words[0] | uint64_t{words[1]} << 32, index);
  Picture out = picture;
  if (how.shift > 0) {
    const int64_t down = random.below(2 * how.shift + 1) - how.shift;
    const int64_t right = random.below(2 * how.shift + 1) - how.shift;
    out = shifted(out, down, right);
  }
  if (how.flip && random.below(2) == 1) out = flipped(out);
  if (how.colour > 0) {
    const auto factor = [&] { return random.uniform(1 - how.colour, 1 + how.colour); };
    const float brightness = factor(), contrast = factor(), saturation = factor();
    out = recoloured(out, brightness, contrast, saturation);
  }
  return out;
}

}  // namespace fovea::data
