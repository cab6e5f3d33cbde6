#include "fovea/look/terminal_layout.h"

#include <algorithm>
#include <numeric>

#include "fovea/look/width.h"

namespace fovea::look {
namespace {

int parts(int n, int size) { return (n + size - 1) / size; }

// s columns in as few blocks as hold them, of about the same size. The last one has less room than the others, for its tail.
std::vector<Block> share_out(int s, int most, int most_in_last) {
  if (s <= most_in_last) return {{0, s, true}};
  const int blocks = 1 + parts(s - most_in_last, most);
  const int size = std::max(parts(s, blocks), parts(s - most_in_last, blocks - 1));
  std::vector<Block> out;
  for (int first = 0; first < s; first += size) out.push_back({first, std::min(first + size, s), false});
  out.back().tail = true;
  return out;
}

// Shades, and where there is room the key that each row looks at most.
void lay_out_shades(const Map& map, int room, Layout& layout) {
  const int s = map.breadth();
  int longest = 0;
  for (const std::string& column : map.columns) longest = std::max(longest, width(column));
  layout.tail = room >= 50 ? std::min(longest, room / 5) + 6 : 0;  // " student 0.91"
  const int beside_tail = room - (layout.tail ? layout.tail + 2 : 0);
  const int cell = s * 2 <= beside_tail ? 2 : 1;
  layout.shaded = true;
  layout.cells.assign(static_cast<size_t>(s), cell);
  layout.blocks = share_out(s, room / cell, beside_tail / cell);
}

}  // namespace

int Layout::inner(const Block& block) const {
  return std::accumulate(cells.begin() + block.first, cells.begin() + block.last, 0);
}

std::string corner_of(const Map& map) { return map.row_name + " \\ " + map.column_name; }

Layout lay_out(const Map& map, const TerminalOptions& options) {
  const int room = std::max(options.max_width, 20);
  Layout layout;
  layout.labels = width(corner_of(map));
  for (const std::string& row : map.rows) layout.labels = std::max(layout.labels, width(row));
  layout.labels = std::min(layout.labels, std::max(room / 3, 8));
  const int left = room - layout.labels - 4;  // "labels │cells │"

  const int s = map.breadth();
  layout.blocks = {{0, s, false}};
  int named = 0;
  for (const std::string& column : map.columns) {
    layout.cells.push_back(std::max(5, std::min(width(column), left) + 1));
    named += layout.cells.back();
    if (named > left) break;
  }
  if (named <= left) return layout;
  layout.numbered = true;
  const int percent = map.chosen.empty() ? 3 : 4;  // a chosen cell has a mark before its number
  layout.percent = s * 5 > left && s * percent <= left && s < 100;
  if (s * 5 > left && !layout.percent)
    lay_out_shades(map, left, layout);
  else
    layout.cells.assign(static_cast<size_t>(s), layout.percent ? percent : 5);
  return layout;
}

}  // namespace fovea::look
