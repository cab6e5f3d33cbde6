#include "fovea/data/pictures/sheet.h"

#include <algorithm>

#include "fovea/base/error.h"

namespace fovea::data {
namespace {

constexpr int64_t kLine = 2;
constexpr uint8_t kGrey = 128;

}  // namespace

Picture contact_sheet(std::span<const Picture> pictures, int64_t columns, int64_t scale) {
  check(!pictures.empty() && columns > 0 && scale > 0, "sheet",
        "{} pictures in {} columns at scale {}: expected at least one of each", pictures.size(), columns,
        scale);
  const auto count = static_cast<int64_t>(pictures.size());
  columns = std::min(columns, count);
  const int64_t rows = (count + columns - 1) / columns;
  const int64_t high = pictures[0].height * scale + kLine, wide = pictures[0].width * scale + kLine;
  check_picture_size(rows * high - kLine, columns * wide - kLine, "all of them together", "sheet");
  Picture sheet(rows * high - kLine, columns * wide - kLine, 3, kGrey);
  for (int64_t i = 0; i < count; ++i) {
    const Picture one = as_rgb(pictures[static_cast<size_t>(i)]);
    check(one.height == pictures[0].height && one.width == pictures[0].width, "sheet",
          "pictures of {} x {} and of {} x {} pixels: expected one size", pictures[0].width,
          pictures[0].height, one.width, one.height);
    for (int64_t y = 0; y < one.height * scale; ++y)
      for (int64_t x = 0; x < one.width * scale; ++x)
        std::copy_n(one.at(y / scale, x / scale), 3,
                    sheet.at(i / columns * high + y, i % columns * wide + x));
  }
  return sheet;
}

}  // namespace fovea::data
