#include "fovea/look/label.h"

namespace fovea::look {

bool is_unknown(std::string_view label) { return label.ends_with(kUnknownMark); }

std::string unknown_label(std::string_view text) {
  return is_unknown(text) ? std::string(text) : std::string(text).append(kUnknownMark);
}

std::string_view without_mark(std::string_view label) {
  if (is_unknown(label)) label.remove_suffix(kUnknownMark.size());
  return label;
}

std::string elide_label(std::string_view label, int columns) {
  const int left = columns - width(kUnknownMark);
  if (!is_unknown(label) || width(label) <= columns || left < 2) return elide(label, columns);
  return elide(without_mark(label), left).append(kUnknownMark);
}

std::string fit_label(std::string_view label, int columns, Align align) {
  return fit(elide_label(label, columns), columns, align);
}

}  // namespace fovea::look
