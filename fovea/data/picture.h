// A picture in memory: 8 bits a channel, [height, width, channels], row-major, without gaps. Channels are 1 (grey) or 3 (red, green, blue).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::data {

struct Picture {
  // What a reader accepts: at most so many pixels in all, and so many on one side.
  static constexpr int64_t kMaxPixels = 100'000'000, kMaxSide = 65'535;

  int64_t height = 0, width = 0, channels = 0;
  std::vector<uint8_t> pixels;  // height * width * channels

  Picture() = default;
  Picture(int64_t height, int64_t width, int64_t channels, uint8_t value = 0);

  uint8_t* at(int64_t y, int64_t x) { return pixels.data() + (y * width + x) * channels; }
  const uint8_t* at(int64_t y, int64_t x) const { return pixels.data() + (y * width + x) * channels; }
  bool operator==(const Picture&) const = default;
};

// Throws [who] NAME: ... for sizes that no picture may have. Readers call it before they take memory.
void check_picture_size(int64_t height, int64_t width, std::string_view name,
                        std::string_view who = "pictures");

// Three channels: a grey one thrice.
Picture as_rgb(const Picture& picture);
// One channel: (19595 R + 38470 G + 7471 B + 32768) >> 16, as PIL's convert('L') has it.
Picture as_grey(const Picture& picture);

}  // namespace fovea::data
