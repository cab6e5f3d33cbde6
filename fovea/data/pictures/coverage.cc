#include "fovea/data/pictures/coverage.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "fovea/base/error.h"

namespace fovea::data {
namespace {

constexpr int kLines = 4;
constexpr size_t kMostCorners = 16;

// Four numbers at once, as GCC and Clang have them: any x86-64 computes so.
constexpr int kFour = 4;
using Four = float __attribute__((vector_size(kFour * sizeof(float))));

}  // namespace

template <typename F>
void Coverage::add_rows(float top, float bottom, F&& crossings) {
  const int64_t first = std::max<int64_t>(static_cast<int64_t>(std::floor(top)), 0);
  const int64_t end = std::min(static_cast<int64_t>(std::ceil(bottom)), height_);
  const auto wide = static_cast<float>(width_);
  std::vector<float> row(static_cast<size_t>(width_));
  for (int64_t y = first; y < end; ++y) {
    int64_t least = width_, most = -1;  // the pixels of the row that are touched
    for (int line = 0; line < kLines; ++line) {
      float x[kMostCorners];
      const size_t n = crossings(static_cast<float>(y) + (static_cast<float>(line) + 0.5f) / kLines, x);
      for (size_t i = 0; i + 1 < n; i += 2) {
        const float from = std::clamp(x[i], 0.0f, wide), to = std::clamp(x[i + 1], 0.0f, wide);
        if (from >= to) continue;
        const auto a = static_cast<int64_t>(from), b = std::min(static_cast<int64_t>(to), width_ - 1);
        least = std::min(least, a);
        most = std::max(most, b);
        if (a == b) {
          row[static_cast<size_t>(a)] += to - from;
          continue;
        }
        row[static_cast<size_t>(a)] += static_cast<float>(a + 1) - from;
        for (int64_t p = a + 1; p < b; ++p) row[static_cast<size_t>(p)] += 1;
        row[static_cast<size_t>(b)] += to - static_cast<float>(b);
      }
    }
    float* out = values_.data() + y * width_;
    for (int64_t p = least; p <= most; ++p) {
      out[p] = std::max(out[p], row[static_cast<size_t>(p)] * (1.0f / kLines));
      row[static_cast<size_t>(p)] = 0;
    }
  }
}

void Coverage::add_disc(Point centre, float radius) {
  add_rows(centre.y - radius, centre.y + radius, [&](float y, float* x) -> size_t {
    const float rest = radius * radius - (y - centre.y) * (y - centre.y);
    if (rest <= 0) return 0;
    const float half = std::sqrt(rest);
    x[0] = centre.x - half;
    x[1] = centre.x + half;
    return 2;
  });
}

void Coverage::add_polygon(std::span<const Point> corners) {
  check(corners.size() <= kMostCorners, "draw", "a polygon of {} corners: expected {} or fewer",
        corners.size(), kMostCorners);
  if (corners.empty()) return;
  const auto [top, bottom] = std::minmax_element(corners.begin(), corners.end(),
                                                 [](const Point& a, const Point& b) { return a.y < b.y; });
  add_rows(top->y, bottom->y, [&](float y, float* x) {
    size_t n = 0;
    for (size_t i = 0; i < corners.size(); ++i) {
      const Point &a = corners[i], &b = corners[i + 1 < corners.size() ? i + 1 : 0];
      if ((a.y <= y) != (b.y <= y)) x[n++] = a.x + (y - a.y) * (b.x - a.x) / (b.y - a.y);
    }
    std::sort(x, x + n);
    return n;
  });
}

void Coverage::add_line(std::span<const Point> points, float half_width) {
  const float reach = half_width + 0.5f;
  // The square of the distance from each pixel to the nearest segment: one root a pixel is enough. Pixels are gone through four at a time;
  // some beyond the reach of a segment change nothing, and rows have room for them.
  const int64_t stride = width_ + kFour;
  std::vector<float> squares(static_cast<size_t>(height_ * stride), std::numeric_limits<float>::infinity());
  struct {
    int64_t left, top, right, bottom;
  } reached{width_, height_, 0, 0};
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    const Point a = points[i], b = points[i + 1];
    const float dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
    const float over = length > 0 ? 1 / length : 0;
    const auto from = [&](float p, float q) {
      return std::max<int64_t>(static_cast<int64_t>(std::floor(std::min(p, q) - reach)), 0);
    };
    const auto to = [&](float p, float q, int64_t side) {
      return std::min(static_cast<int64_t>(std::ceil(std::max(p, q) + reach)), side);
    };
    const int64_t left = from(a.x, b.x), right = to(a.x, b.x, width_);
    const int64_t top = from(a.y, b.y), bottom = to(a.y, b.y, height_);
    reached = {std::min(reached.left, left), std::min(reached.top, top), std::max(reached.right, right),
               std::max(reached.bottom, bottom)};
    for (int64_t y = top; y < bottom; ++y) {
      const float py = static_cast<float>(y) + 0.5f - a.y;
      for (int64_t x = left; x < right; x += kFour) {
        float* nearest = squares.data() + y * stride + x;
        const Four zero{}, one = zero + 1.0f, px = Four{0, 1, 2, 3} + (static_cast<float>(x) + 0.5f) - a.x;
        Four t = (px * dx + py * dy) * over, least;
        t = t < zero ? zero : t;
        t = t > one ? one : t;
        const Four ex = px - t * dx, ey = py - t * dy, square = ex * ex + ey * ey;
        std::memcpy(&least, nearest, sizeof least);
        least = square < least ? square : least;
        std::memcpy(nearest, &least, sizeof least);
      }
    }
  }
  for (int64_t y = reached.top; y < reached.bottom; ++y) {
    float* out = values_.data() + y * width_;
    const float* nearest = squares.data() + y * stride;
    for (int64_t x = reached.left; x < reached.right; ++x)
      if (nearest[x] < reach * reach)
        out[x] = std::max(out[x], std::min(reach - std::sqrt(nearest[x]), 1.0f));
  }
}

}  // namespace fovea::data
