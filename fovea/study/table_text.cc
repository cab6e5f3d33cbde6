#include "fovea/study/table_text.h"

#include <algorithm>

#include "fovea/look/width.h"

namespace fovea::study {

std::string to_text(const Table& table, size_t left) {
  constexpr int kNarrowest = 2;  // ":-"
  std::vector<int> widths(table.head.size(), kNarrowest);
  const auto widen = [&](const Row& row) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], look::width(row[i]));
  };
  widen(table.head);
  for (const Row& row : table.rows) widen(row);

  std::string text;
  const auto add = [&](const Row& row) {
    for (size_t i = 0; i < row.size(); ++i)
      text += "| " + look::fit(row[i], widths[i], i < left ? look::Align::kLeft : look::Align::kRight) + ' ';
    text += "|\n";
  };
  Row lines;
  for (size_t i = 0; i < widths.size(); ++i) {
    const std::string line(static_cast<size_t>(widths[i] - 1), '-');
    lines.push_back(i < left ? ":" + line : line + ":");
  }
  add(table.head);
  add(lines);
  for (const Row& row : table.rows) add(row);
  return text;
}

}  // namespace fovea::study
