// Anti-aliased drawing: how much of each pixel a form covers, 0 to 1, in f32. A pixel (y, x) is the square from (x, y) to (x+1, y+1).
// Forms add by the larger value of each pixel. What lies outside is left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea::data {

struct Point {
  float x = 0, y = 0;
};

class Coverage {
 public:
  Coverage(int64_t height, int64_t width)
      : height_(height), width_(width), values_(static_cast<size_t>(height * width)) {}

  int64_t height() const { return height_; }
  int64_t width() const { return width_; }
  std::span<const float> values() const { return values_; }
  float at(int64_t y, int64_t x) const { return values_[static_cast<size_t>(y * width_ + x)]; }
  void clear() { std::fill(values_.begin(), values_.end(), 0.0f); }

  // Exact along rows, from 4 lines in each row of pixels.
  void add_disc(Point centre, float radius);
  // The inside by the even-odd rule; at most 16 corners.
  void add_polygon(std::span<const Point> corners);
  // All points within `half_width` of the line through these points; the edge is one pixel wide: half_width + 1/2 - distance, cut to 0..1.
  void add_line(std::span<const Point> points, float half_width);

 private:
  // crossings(y, x) writes the sorted places where the form's edge crosses height y, and returns how many.
  template <typename F>
  void add_rows(float top, float bottom, F&& crossings);

  int64_t height_, width_;
  std::vector<float> values_;
};

}  // namespace fovea::data
