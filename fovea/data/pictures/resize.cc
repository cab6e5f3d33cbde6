#include "fovea/data/pictures/resize.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"

namespace fovea::data {
namespace {

// A sum of 255 times weights that add up to 1, some of them negative, fits 32 bits with 8 for the value and 2 to spare.
constexpr int kWeightBits = 32 - 8 - 2;

struct Kind {
  const char* name;
  double support;
  double (*f)(double x);
};

constexpr Kind kFilters[] = {
    {"area", 0.5, [](double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }},
    {"bilinear", 1,
     [](double x) {
       x = std::abs(x);
       return x < 1 ? 1 - x : 0.0;
     }},
    {"bicubic", 2,
     [](double x) {
       constexpr double a = -0.5;
       x = std::abs(x);
       if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
       if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
       return 0.0;
     }},
};

// The input pixels of every output pixel along one side: `first`, `count`, and `stride` places for their weights.
struct Weights {
  struct Range {
    int64_t first, count;
  };
  int64_t stride = 0;
  std::vector<Range> ranges;
  std::vector<int32_t> values;
};

Weights weights_for(int64_t from, int64_t to, const Kind& kind) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double stretch = std::max(scale, 1.0), support = kind.support * stretch;
  Weights weights;
  weights.stride = static_cast<int64_t>(std::ceil(support)) * 2 + 1;
  weights.ranges.resize(static_cast<size_t>(to));
  weights.values.resize(static_cast<size_t>(to * weights.stride));
  std::vector<double> exact(static_cast<size_t>(weights.stride));
  for (int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<int64_t>(static_cast<int64_t>(centre - support + 0.5), 0);
    const auto end = std::min(static_cast<int64_t>(centre + support + 0.5), from);
    double sum = 0;
    for (int64_t j = first; j < end; ++j) {
      const double w = kind.f((static_cast<double>(j) - centre + 0.5) * (1 / stretch));
      exact[static_cast<size_t>(j - first)] = w;
      sum += w;
    }
    weights.ranges[static_cast<size_t>(i)] = {first, end - first};
    for (int64_t k = 0; k < end - first; ++k) {
      const double w = sum != 0 ? exact[static_cast<size_t>(k)] / sum : exact[static_cast<size_t>(k)];
      weights.values[static_cast<size_t>(i * weights.stride + k)] =
          static_cast<int32_t>(w * (1 << kWeightBits) + (w < 0 ? -0.5 : 0.5));
    }
  }
  return weights;
}

uint8_t rounded(int32_t sum) {
  return static_cast<uint8_t>(std::clamp((sum + (1 << (kWeightBits - 1))) >> kWeightBits, 0, 255));
}

Picture along_rows(const Picture& from, int64_t width, const Kind& kind) {
  const Weights weights = weights_for(from.width, width, kind);
  Picture to(from.height, width, from.channels);
  for (int64_t y = 0; y < to.height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      const auto [first, count] = weights.ranges[static_cast<size_t>(x)];
      const int32_t* w = weights.values.data() + x * weights.stride;
      for (int64_t c = 0; c < to.channels; ++c) {
        const uint8_t* p = from.at(y, first) + c;
        int32_t sum = 0;
        for (int64_t k = 0; k < count; ++k) sum += p[k * from.channels] * w[k];
        to.at(y, x)[c] = rounded(sum);
      }
    }
  return to;
}

Picture along_columns(const Picture& from, int64_t height, const Kind& kind) {
  const Weights weights = weights_for(from.height, height, kind);
  Picture to(height, from.width, from.channels);
  const int64_t row = from.width * from.channels;
  std::vector<int32_t> sums(static_cast<size_t>(row));
  for (int64_t y = 0; y < height; ++y) {
    const auto [first, count] = weights.ranges[static_cast<size_t>(y)];
    std::fill(sums.begin(), sums.end(), 0);
    for (int64_t k = 0; k < count; ++k) {
      const int32_t w = weights.values[static_cast<size_t>(y * weights.stride + k)];
      const uint8_t* p = from.at(first + k, 0);
      for (int64_t i = 0; i < row; ++i) sums[static_cast<size_t>(i)] += p[i] * w;
    }
    std::transform(sums.begin(), sums.end(), to.at(y, 0), rounded);
  }
  return to;
}

}  // namespace

Filter filter_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Kind& kind : kFilters) {
    if (kind.name == name) return static_cast<Filter>(&kind - kFilters);
    names.emplace_back(kind.name);
  }
  fail("resize", "no filter is called {}; there are {}", quote(name), nearest_first(name, names));
}

Picture resize(const Picture& picture, int64_t height, int64_t width, Filter filter) {
  check_picture_size(picture.height, picture.width, "the picture to resize", "resize");
  check_picture_size(height, width, "the size asked for", "resize");
  const Kind& kind = kFilters[static_cast<size_t>(filter)];
  const auto wide = [&](const Picture& from) {
    return width == from.width ? from : along_rows(from, width, kind);
  };
  const auto high = [&](const Picture& from) {
    return height == from.height ? from : along_columns(from, height, kind);
  };
  const int64_t rows_lost = picture.height - height, columns_lost = picture.width - width;
  return rows_lost > 0 && rows_lost > 2 * columns_lost ? wide(high(picture)) : high(wide(picture));
}

Picture resize_shorter_side(const Picture& picture, int64_t side, Filter filter) {
  const int64_t shorter = std::min(picture.height, picture.width);
  check(shorter > 0 && side > 0 && side <= Picture::kMaxSide, "resize",
        "a shorter side of {} for a picture of {} x {} pixels: expected 1 to {}", side, picture.width,
        picture.height, Picture::kMaxSide);
  const auto scaled = [&](int64_t n) { return n == shorter ? side : n * side / shorter; };
  return resize(picture, scaled(picture.height), scaled(picture.width), filter);
}

}  // namespace fovea::data
