// Text in pictures.
#pragma once

#include <string_view>

#include "fovea/look/width.h"

namespace fovea::look {

// For the attribute font-family: browsers take the first that they know, librsvg the first that is installed, and both
// look further for letters that it lacks.
inline constexpr std::string_view kFonts =
    "system-ui, 'Noto Sans', 'Noto Sans CJK KR', 'DejaVu Sans', NanumGothic, sans-serif";

// A column of text in pixels, of the font's size: about the mean, and rather more than less, for fonts differ.
inline constexpr double kEm = 0.58;
inline double text_width(std::string_view text, double size) { return width(text) * size * kEm; }

}  // namespace fovea::look
