#include "fovea/look/png.h"

#include <cairo.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "fovea/base/error.h"
#include "fovea/look/font.h"
#include "fovea/look/plot.h"
#include "fovea/look/svg.h"

namespace fovea::look {
namespace {

using testing::HasSubstr;

// What a viewer would see.
class Pixels {
 public:
  explicit Pixels(std::string png) {
    EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
    const auto read = [](void* from, unsigned char* data, unsigned int n) {
      auto& rest = *static_cast<std::string*>(from);
      if (rest.size() < n) return CAIRO_STATUS_READ_ERROR;
      std::memcpy(data, rest.data(), n);
      rest.erase(0, n);
      return CAIRO_STATUS_SUCCESS;
    };
    cairo_surface_t* surface = cairo_image_surface_create_from_png_stream(read, &png);
    EXPECT_EQ(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    wide = cairo_image_surface_get_width(surface);
    high = cairo_image_surface_get_height(surface);
    const unsigned char* rows = cairo_image_surface_get_data(surface);
    for (int y = 0; y < high; ++y)
      for (int x = 0; x < wide; ++x) {
        uint32_t color = 0;
        std::memcpy(&color, rows + y * cairo_image_surface_get_stride(surface) + 4 * x, 4);
        colors_.push_back(color & 0xFFFFFF);
      }
    cairo_surface_destroy(surface);
  }

  uint32_t at(int x, int y) const {
    return colors_.at(static_cast<size_t>(y) * static_cast<size_t>(wide) + static_cast<size_t>(x));
  }
  bool ink(int x, int y) const { return (at(x, y) & 0xFF) < 200; }
  size_t count(uint32_t color) const {
    return static_cast<size_t>(std::count(colors_.begin(), colors_.end(), color));
  }

  // Ink reaches all along the four sides of its bounding box: the sign that stands where a font lacks a letter.
  bool is_a_box() const {
    int left = wide, right = -1, top = high, bottom = -1;
    for (int y = 0; y < high; ++y)
      for (int x = 0; x < wide; ++x)
        if (ink(x, y)) {
          left = std::min(left, x), right = std::max(right, x), top = std::min(top, y),
          bottom = std::max(bottom, y);
        }
    EXPECT_GT(right - left, 20) << "nothing is drawn";
    int border = 0;
    for (int x = left; x <= right; ++x) border += ink(x, top) + ink(x, bottom);
    for (int y = top; y <= bottom; ++y) border += ink(left, y) + ink(right, y);
    return border > 0.9 * 2 * (right - left + bottom - top);
  }

  int wide = 0, high = 0;

 private:
  std::vector<uint32_t> colors_;
};

std::string svg_of(double width, double height, const std::string& body) {
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\">{}</svg>", width,
                     height, body);
}

std::string fault_of(const std::string& svg, double scale = 1) {
  try {
    to_png(svg, scale);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Png, PixelsAreWhereTheSvgHasThem) {
  const Pixels pixels(
      to_png(svg_of(40, 30, "<rect x=\"10\" y=\"10\" width=\"5\" height=\"20\" fill=\"#2b6cb0\"/>"), 3));
  EXPECT_EQ(pixels.wide, 120);
  EXPECT_EQ(pixels.high, 90);
  EXPECT_EQ(pixels.count(0x2b6cb0), 5u * 20 * 9);
  EXPECT_EQ(pixels.count(0xffffff), 120u * 90 - 5 * 20 * 9);
  EXPECT_EQ(pixels.at(30, 30), 0x2b6cb0u);
  EXPECT_EQ(pixels.at(29, 30), 0xffffffu);
  EXPECT_EQ(pixels.at(44, 89), 0x2b6cb0u);
  EXPECT_EQ(pixels.at(45, 89), 0xffffffu);
}

TEST(Png, LettersOfEveryScriptAreDrawnAndAreNoBoxes) {
  const auto drawn = [](const std::string& letter) {
    return Pixels(
        to_png(svg_of(100, 100,
                      fmt::format("<text x=\"8\" y=\"60\" font-size=\"40\" font-family=\"{}\">{}</text>",
                                  kFonts, letter))));
  };
  EXPECT_TRUE(drawn("\xF4\x8F\xBF\xBD").is_a_box()) << "the test itself: no font has U+10FFFD";
  for (const char* letter : {"학", "나", "다", "w", "é", "ß", "→", "漢"})
    EXPECT_FALSE(drawn(letter).is_a_box()) << letter;
}

TEST(Png, AMapHasTheColoursOfItsWeights) {
  Map map;
  map.rows = {"나는", "학생"};
  map.columns = {"I", "student"};
  map.weights = Tensor::of<float>({2, 2}, std::vector<float>{1, 0.001f, 0.001f, 1});
  const Pixels pixels(to_png(to_svg(map)));
  const size_t cell = 45 * 45 * 4;  // 46 pixels, of which one parts it from the next
  EXPECT_GT(pixels.count(0x102c4d), cell * 2 * 9 / 10);
  EXPECT_GT(pixels.count(0xedf4fd), cell * 2 * 7 / 10);
  EXPECT_EQ(pixels.at(0, 0), 0xffffffu);
}

TEST(Png, APlotHasTheColoursOfItsSeries) {
  Plot plot;
  plot.charts = {{.series = {{"", {}, {1, 2}}, {"", {}, {2, 1}}}, .groups = {"a", "b"}}};
  const Pixels pixels(to_png(to_svg(plot), 1));
  EXPECT_EQ(pixels.wide, 760);
  EXPECT_GT(pixels.count(0x2b6cb0), 5000u);
  EXPECT_GT(pixels.count(0xe8590c), 5000u);
}

TEST(Png, TheLargestMapThatSvgTakesIsDrawn) {
  Map map;
  map.rows.assign(500, "r");
  map.columns.assign(600, "c");
  map.weights = Tensor::full({500, 600}, 0.5f);
  const Pixels pixels(to_png(to_svg(map), 1));
  EXPECT_GT(pixels.count(0x102c4d), 500u * 600 * 8);
}

TEST(Png, WhatCannotBeDrawnIsSaid) {
  EXPECT_EQ(fault_of(svg_of(40'000, 10, "")),
            "[png] a picture of 40000 x 10 pixels: expected 32767 or fewer on a side and 100 million in all; "
            "write SVG "
            "or HTML, or show less");
  EXPECT_THAT(fault_of(svg_of(10'001, 10'000, "")), HasSubstr("[png] a picture of 10001 x 10000 pixels"));
  EXPECT_THAT(fault_of(svg_of(40, 10, ""), 2000), HasSubstr("[png] a picture of 80000 x 20000 pixels"));
  EXPECT_THAT(fault_of(svg_of(40, 10, ""), 0), HasSubstr("there is nothing to draw"));
  EXPECT_THAT(fault_of(svg_of(40, 10, ""), -1), HasSubstr("there is nothing to draw"));
  EXPECT_THAT(fault_of(svg_of(40, 10, "<rect")), HasSubstr("[png] the picture cannot be drawn: "));
  EXPECT_THAT(fault_of(""), HasSubstr("[png] the picture cannot be drawn: "));
  EXPECT_THAT(fault_of("hello"), HasSubstr("[png] the picture cannot be drawn: "));
}

}  // namespace
}  // namespace fovea::look
