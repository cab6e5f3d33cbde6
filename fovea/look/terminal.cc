#include "fovea/look/terminal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/look/colors.h"
#include "fovea/look/terminal_paint.h"
#include "fovea/look/width.h"

namespace fovea::look {
namespace {

// How a map is laid out in the width there is.
struct Layout {
  int labels = 0;          // columns for the row labels
  std::vector<int> cells;  // columns for each cell that is shown, with the space between cells
  bool numbered = false;   // columns have numbers, named below
  bool percent = false;    // numbers are percent
  bool shaded = false;     // no numbers
  int inner = 0;           // sum of cells
  int tail = 0;            // columns that name the key each row looks at most, where cells are shades
};

Layout lay_out(const Map& map, const TerminalOptions& options) {
  const int room = std::max(options.max_width, 20);
  Layout layout;
  const std::string corner = map.row_name + " \\ " + map.column_name;
  layout.labels = width(corner);
  for (const std::string& row : map.rows) layout.labels = std::max(layout.labels, width(row));
  layout.labels = std::min(layout.labels, std::max(room / 3, 8));
  const int left = room - layout.labels - 4;  // "labels │cells │"

  const int s = map.breadth();
  int named = 0;
  for (const std::string& column : map.columns) {
    layout.cells.push_back(std::max(5, std::min(width(column), left) + 1));
    named += layout.cells.back();
    if (named > left) break;
  }
  if (named <= left) {
    layout.inner = named;
    return layout;
  }
  layout.numbered = true;
  const int percent = map.chosen.empty() ? 3 : 4;  // a chosen cell has a mark before its number
  int cell = s * 5 <= left ? 5 : s * percent <= left && s < 100 ? percent : 1;
  layout.percent = cell == percent;
  layout.shaded = cell < 3;
  int room_for_cells = left;
  if (layout.shaded) {
    int longest = 0;
    for (const std::string& column : map.columns) longest = std::max(longest, width(column));
    layout.tail = left >= 50 ? std::min(longest, left / 5) + 6 : 0;  // " student 0.91"
    room_for_cells = left - (layout.tail ? layout.tail + 2 : 0);
    if (s * 2 <= room_for_cells) cell = 2;
  }
  const int shown = std::min(s, room_for_cells / cell);
  layout.cells.assign(static_cast<size_t>(shown), cell);
  layout.inner = shown * cell;
  return layout;
}

// 0.87 as "0.87" or "87".
std::string number(float weight, bool percent) {
  if (!percent) return weight_text(weight);
  return weight == 0 ? "·" : weight < 0.005f ? "<1" : fmt::format("{:.0f}", weight * 100);
}

class Painter {
 public:
  Painter(const Map& map, const TerminalOptions& options, const std::vector<Panel>& panels)
      : map_(map),
        options_(options),
        layout_(lay_out(map, options)),
        most_(largest(panels)),
        panels_(static_cast<int>(panels.size())) {}

  std::string page(const std::vector<Panel>& panels) const {
    std::string out;
    if (!map_.title.empty()) out += clean(map_.title) + "\n";
    for (int i = 0; i < shown_panels(); ++i) {
      const Panel& panel = panels[static_cast<size_t>(i)];
      if (!panel.name.empty()) out += panel.name + "\n";
      out += grid(panel);
    }
    return out + notes(panels);
  }

 private:
  bool in_color() const { return options_.color != TerminalOptions::Color::kNone; }
  int shown() const { return static_cast<int>(layout_.cells.size()); }

  int shown_rows() const { return std::min(map_.height(), std::max(options_.max_rows, 1)); }
  int shown_panels() const {
    return static_cast<int>(std::clamp<int64_t>(int64_t{5} * options_.max_rows / shown_rows(), 1, panels_));
  }

  std::string line(const std::string& label, const std::string& cells, const std::string& tail = "") const {
    return fit(label, layout_.labels) + " │" + cells + " │" +
           (layout_.tail ? fit(tail, layout_.tail) + " │" : "") + "\n";
  }

  // The key a row looks at most, and how much.
  std::string most_of(const Panel& panel, int row) const {
    int best = 0;
    for (int column = 1; column < panel.breadth; ++column)
      if (panel.at(row, column) > panel.at(row, best)) best = column;
    return fmt::format(" {}{}", fit(map_.columns[static_cast<size_t>(best)], layout_.tail - 6),
                       fit(number(panel.at(row, best), false), 5, Align::kRight));
  }

  std::string grid(const Panel& panel) const {
    std::string out = header();
    for (int row = 0; row < shown_rows(); ++row) {
      const std::string& label = map_.rows[static_cast<size_t>(row)];
      if (panel.row_is_hidden(row)) {
        out += line(label, hidden_row());
        continue;
      }
      std::string cells;
      for (int column = 0; column < shown(); ++column) cells += cell(panel, row, column);
      out += line(label, cells, layout_.tail ? most_of(panel, row) : "");
    }
    return out;
  }

  // Columns are numbered from 1 and named below; those whose names are their numbers from 0 keep them.
  size_t first_number() const {
    for (size_t i = 0; i < map_.columns.size(); ++i)
      if (map_.columns[i] != std::to_string(i)) return 1;
    return 0;
  }

  // Labels above their columns; or numbers, written downwards where a cell is narrow.
  std::string header() const {
    const std::string corner = map_.row_name + " \\ " + map_.column_name;
    if (!layout_.shaded) {
      std::string cells;
      for (size_t i = 0; i < layout_.cells.size(); ++i)
        cells += fit(layout_.numbered ? std::to_string(i + first_number())
                                      : elide(map_.columns[i], layout_.cells[i] - 1),
                     layout_.cells[i], Align::kRight);
      return line(corner, cells);
    }
    std::string out;
    const size_t digits = std::to_string(shown() - 1 + first_number()).size();
    for (size_t digit = 0; digit < digits; ++digit) {
      std::string cells;
      for (int i = 0; i < shown(); ++i) {
        const auto column = static_cast<size_t>(i) + first_number();
        const std::string text = std::to_string(column);
        const size_t skip = digits - text.size();
        // A row of narrow cells would be a wall of digits: the leading ones stand only where they change.
        const bool change = digit + 1 == digits || column % 10 == 0 || i == 0;
        const std::string one = digit < skip || !change ? " " : text.substr(digit - skip, 1);
        cells += fit(one, layout_.cells[static_cast<size_t>(i)], Align::kRight);
      }
      out += line(digit + 1 == digits ? corner : "", cells);
    }
    return out;
  }

  std::string hidden_row() const {
    const int inner = layout_.inner;
    if (inner < 9) return fit(std::string(inner > 1 ? "-" : ""), inner, Align::kRight);
    const int left = (inner - 9) / 2;
    return fmt::format(" {:-<{}} hidden {:-<{}}", "", left, "", inner - 9 - left);
  }

  std::string cell(const Panel& panel, int row, int column) const {
    const int columns = layout_.cells[static_cast<size_t>(column)];
    const float weight = panel.at(row, column);
    const bool chosen = panel.is_chosen(row, column);
    if (layout_.shaded) return shade(weight, chosen, columns);
    const std::string text = number(weight, layout_.percent);
    const std::string marked = fmt::format("{}{}", chosen ? "*" : "", text);
    if (!in_color() || weight == 0) return fit(marked, columns, Align::kRight);
    return fmt::format("{}{}", chosen ? '*' : ' ', paint(fit(text, columns - 1, Align::kRight), weight));
  }

  std::string shade(float weight, bool chosen, int columns) const {
    const std::string mark = chosen ? "*" : weight == 0 ? "·" : " ";
    if (in_color()) {
      const std::string text = fit(mark, columns, Align::kRight);
      return weight == 0 ? text : paint(text, weight);
    }
    constexpr std::string_view kShades = " .:-=+x#%@";
    const float level = std::min(weight / most_, 1.0f) * static_cast<float>(kShades.size() - 1);
    const std::string one =
        weight == 0 ? "·" : std::string(1, kShades[static_cast<size_t>(std::lround(level))]);
    if (columns == 1) return chosen ? "*" : one;
    return (chosen ? "*" : weight == 0 ? " " : one) + one;
  }

  std::string paint(const std::string& text, float weight) const {
    const Color c = color_of(weight / most_, options_.dark);
    return painted(text, wants_dark_text(c) ? "30" : "97", background(c, options_.color));
  }

  // What the reader needs beside the grid: names of numbered columns, what marks mean, what is left out.
  std::string notes(const std::vector<Panel>& panels) const {
    std::string out;
    const int room = std::max(options_.max_width, 20);
    if (layout_.numbered && first_number() == 1) {
      std::string text = clean(map_.column_name) + ":";
      for (int i = 0; i < shown(); ++i) {
        const std::string item =
            fmt::format(" {} {}", i + 1, elide(map_.columns[static_cast<size_t>(i)], std::min(24, room / 2)));
        if (width(text) + width(item) > room) {
          out += text + '\n';
          text = ' ';
        }
        text += item;
      }
      out += text + "\n";
    }
    if (layout_.percent) out += "numbers are percent\n";
    if (layout_.shaded && !in_color())
      out += fmt::format("shades ' .:-=+x#%@' run from 0 to {:.2f}\n", most_);
    if (std::any_of(panels.begin(), panels.end(), [](const Panel& panel) { return !panel.chosen.empty(); }))
      out += fmt::format("* the chosen {}\n", clean(map_.column_name));
    if (shown() < map_.breadth())
      out += fmt::format("{} of {} columns shown: the rest needs a wider terminal, SVG or HTML\n", shown(),
                         map_.breadth());
    if (shown_rows() < map_.height())
      out +=
          fmt::format("{} of {} rows shown: SVG, HTML and JSON hold them all\n", shown_rows(), map_.height());
    if (shown_panels() < panels_)
      out += fmt::format("{} of {} heads shown: choose one, or write HTML\n", shown_panels(), panels_);
    return out;
  }

  const Map& map_;
  const TerminalOptions& options_;
  const Layout layout_;
  const float most_;
  const int panels_;
};

}  // namespace

std::string to_terminal(const Map& map, const TerminalOptions& options) {
  map.check(options.head);
  const std::vector<Panel> panels = panels_of(map, options.head);
  return Painter(map, options, panels).page(panels);
}

}  // namespace fovea::look
