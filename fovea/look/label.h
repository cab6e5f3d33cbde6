// Labels of rows and columns: tokens, with a mark on those that the model's vocabulary does not have.
#pragma once

#include <string>
#include <string_view>

#include "fovea/look/width.h"

namespace fovea::look {

// Stands behind the text of an unknown token, in every format: "unicorn<unk>". All such tokens are one and the same to the model.
inline constexpr std::string_view kUnknownMark = "<unk>";

bool is_unknown(std::string_view label);
// The label of an unknown token with this text.
std::string unknown_label(std::string_view text);
// A label without the mark.
std::string_view without_mark(std::string_view label);

// As elide() and fit() of width.h, but what is cut is the text: the mark stays as long as it leaves room for two columns of text.
std::string elide_label(std::string_view label, int columns);
std::string fit_label(std::string_view label, int columns, Align align = Align::kLeft);

}  // namespace fovea::look
