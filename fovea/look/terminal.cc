#include "fovea/look/terminal.h"

#include <algorithm>
#include <cmath>

#include "fovea/look/colors.h"
#include "fovea/look/label.h"
#include "fovea/look/terminal_layout.h"
#include "fovea/look/terminal_paint.h"
#include "fovea/look/width.h"

namespace fovea::look {
namespace {

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
    if (!map_.title.empty()) out += wrapped(map_.title, room());
    for (int i = 0; i < shown_panels(); ++i) {
      const Panel& panel = panels[static_cast<size_t>(i)];
      if (!panel.name.empty()) out += wrapped(panel.name, room());
      for (const Block& block : layout_.blocks) out += (block.first > 0 ? "\n" : "") + grid(panel, block);
    }
    return out + notes(panels);
  }

 private:
  bool in_color() const { return options_.color != TerminalOptions::Color::kNone; }
  int room() const { return std::max(options_.max_width, 20); }

  int shown_rows() const { return std::min(map_.height(), std::max(options_.max_rows, 1)); }
  int shown_panels() const {
    return static_cast<int>(std::clamp<int64_t>(int64_t{5} * options_.max_rows / shown_rows(), 1, panels_));
  }

  bool has_tail(const Block& block) const { return block.tail && layout_.tail > 0; }

  std::string line(const Block& block, const std::string& label, const std::string& cells,
                   const std::string& tail = "") const {
    return fit_label(label, layout_.labels) + " │" + cells + " │" +
           (has_tail(block) ? fit(tail, layout_.tail) + " │" : "") + "\n";
  }

  // The key a row looks at most, and how much.
  std::string most_of(const Panel& panel, int row) const {
    int best = 0;
    for (int column = 1; column < panel.breadth; ++column)
      if (panel.at(row, column) > panel.at(row, best)) best = column;
    return fmt::format(" {}{}", fit_label(map_.columns[static_cast<size_t>(best)], layout_.tail - 6),
                       fit(number(panel.at(row, best), false), 5, Align::kRight));
  }

  std::string grid(const Panel& panel, const Block& block) const {
    std::string out = header(block);
    for (int row = 0; row < shown_rows(); ++row) {
      const std::string& label = map_.rows[static_cast<size_t>(row)];
      if (panel.row_is_hidden(row)) {
        out += line(block, label, hidden_row(layout_.inner(block)));
        continue;
      }
      std::string cells;
      for (int column = block.first; column < block.last; ++column) cells += cell(panel, row, column);
      out += line(block, label, cells, has_tail(block) ? most_of(panel, row) : "");
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
  std::string header(const Block& block) const {
    if (!layout_.shaded) {
      std::string cells;
      for (size_t i = 0; i < layout_.cells.size(); ++i)
        cells += fit(layout_.numbered ? std::to_string(i + first_number())
                                      : elide_label(map_.columns[i], layout_.cells[i] - 1),
                     layout_.cells[i], Align::kRight);
      return line(block, corner_of(map_), cells);
    }
    std::string out;
    const size_t digits = std::to_string(static_cast<size_t>(block.last) - 1 + first_number()).size();
    for (size_t digit = 0; digit < digits; ++digit) {
      std::string cells;
      for (int i = block.first; i < block.last; ++i) {
        const auto column = static_cast<size_t>(i) + first_number();
        const std::string text = std::to_string(column);
        const size_t skip = digits - text.size();
        // A row of narrow cells would be a wall of digits: the leading ones stand only where they change.
        const bool change = digit + 1 == digits || column % 10 == 0 || i == block.first;
        const std::string one = digit < skip || !change ? " " : text.substr(digit - skip, 1);
        cells += fit(one, layout_.cells[static_cast<size_t>(i)], Align::kRight);
      }
      out += line(block, digit + 1 == digits ? corner_of(map_) : "", cells);
    }
    return out;
  }

  static std::string hidden_row(int inner) {
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
    if (layout_.numbered && first_number() == 1) {
      std::string text = elide(map_.column_name, room() / 2) + ":";
      for (int i = 0; i < map_.breadth(); ++i) {
        const std::string item = fmt::format(
            " {} {}", i + 1, elide_label(map_.columns[static_cast<size_t>(i)], std::min(24, room() / 2)));
        if (width(text) + width(item) > room()) {
          out += text + '\n';
          text = ' ';
        }
        text += item;
      }
      out += text + "\n";
    }
    const auto say = [&](std::string_view text) { out += wrapped(text, room()); };
    if (layout_.percent) say("numbers are percent");
    if (layout_.shaded && !in_color()) say(fmt::format("shades ' .:-=+x#%@' run from 0 to {:.2f}", most_));
    if (std::any_of(panels.begin(), panels.end(), [](const Panel& panel) { return !panel.chosen.empty(); }))
      say(fmt::format("* the chosen {}", map_.column_name));
    if (shown_rows() < map_.height())
      say(fmt::format("{} of {} rows shown: SVG, HTML and JSON hold them all", shown_rows(), map_.height()));
    if (shown_panels() < panels_)
      say(fmt::format("{} of {} heads shown: choose one, or write HTML", shown_panels(), panels_));
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
