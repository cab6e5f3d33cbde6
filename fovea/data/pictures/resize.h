// Pictures of another size, as Image.resize of Pillow 13 makes them, to the same bits.
//
// Output pixel i of n, made from m input pixels, lies at c = (i + 1/2) m/n. It is the weighted mean of the input pixels j around it,
//   w(j) = f((j + 1/2 - c) / s) / sum,    s = max(m/n, 1),
// so that all pixels count where a picture becomes smaller (antialiasing). Rows are done before columns, unless the picture loses more
// than twice as many rows as columns (before 13 Pillow always did rows first); 8 bits between the two; weights are multiples of 2^-22.
//   area       f = 1 within 1/2           PIL's BOX: the mean over the area of a pixel
//   bilinear   f = 1 - |x| within 1       PIL's BILINEAR
//   bicubic    Keys's with a = -1/2, within 2     PIL's BICUBIC
#pragma once

#include <cstdint>
#include <string_view>

#include "fovea/data/picture.h"

namespace fovea::data {

enum class Filter { kArea, kBilinear, kBicubic };
// "area", "bilinear", "bicubic". Throws for another name.
Filter filter_named(std::string_view name);

// Throws for sizes that no picture may have.
Picture resize(const Picture& picture, int64_t height, int64_t width, Filter filter);

// The whole picture with its shorter side as long as this, the longer one in proportion (rounded down), as torchvision's Resize has it.
Picture resize_shorter_side(const Picture& picture, int64_t side, Filter filter);

}  // namespace fovea::data
