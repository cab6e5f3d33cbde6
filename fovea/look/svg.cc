#include "fovea/look/svg.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/look/colors.h"
#include "fovea/look/escape.h"
#include "fovea/look/font.h"
#include "fovea/look/label.h"
#include "fovea/look/svg_drawing.h"
#include "fovea/look/svg_title.h"
#include "fovea/look/width.h"

namespace fovea::look {
namespace {

constexpr int kLevels = 48;  // of colour
constexpr int64_t kMaxCells = 300'000;

// Pixels of a cell. Small maps have cells with room for numbers. Those of sentences (up to 150 words, or 75 in each of
// several heads) keep cells in which every word has its label; larger maps shrink, and have a label every few cells.
double cell_size(int longest, bool one) {
  const double comfortable = (one ? 640.0 : 230.0) / longest;
  const double readable = std::min(12.0, (one ? 1800.0 : 900.0) / longest);
  const double cell = std::min(std::max(comfortable, readable), one ? 46.0 : 26.0);
  return cell >= 8 ? std::floor(cell) : std::max(cell, one ? 3.0 : 2.0);
}

class Picture {
 public:
  Picture(const Map& map, const SvgOptions& options)
      : map_(map),
        limit_(std::max(options.label_columns, 2)),
        panels_(panels_of(map, options.head)),
        most_(largest(panels_)) {
    cell_ = cell_size(std::max(map.height(), map.breadth()), panels_.size() == 1);
    font_ = std::clamp(cell_ * 0.8, 8.0, 13.0);
    across_ =
        panels_.size() == 1
            ? 1
            : std::min<int>(static_cast<int>(panels_.size()),
                            static_cast<int>(std::clamp(1100 / (cell_ * map.breadth() + 24), 1.0, 4.0)));
    down_ = (static_cast<int>(panels_.size()) + across_ - 1) / across_;
    wide_ = cell_ * map.breadth();
    high_ = cell_ * map.height();
    measure_labels();
  }

  Drawing draw() const {
    const double caption = caption_height();
    std::string out = title_.elements + axis_names();
    for (size_t i = 0; i < panels_.size(); ++i) {
      const int column = static_cast<int>(i) % across_, row = static_cast<int>(i) / across_;
      const double x = left_ + column * (wide_ + gap());
      const double y = top_ + row * (high_ + caption + 14);
      if (column == 0) out += row_labels(panels_[i], y);
      if (row == 0) out += column_labels(x);
      if (below_ > 0) out += column_labels_below(x);
      out += fmt::format("<g transform=\"translate({:.4g} {:.4g})\">\n", x, y) + cells(panels_[i]) + "</g>\n";
      if (caption > 0)
        out += fmt::format(
            "<text x=\"{:.4g}\" y=\"{:.4g}\" font-size=\"12\" text-anchor=\"middle\" "
            "fill=\"#51606e\">{}</text>\n",
            x + wide_ / 2, y + high_ + 17, xml(panels_[i].name));
    }
    out += legend(left_ + across_ * (wide_ + gap()) - gap() + 18);
    return {width_, bottom() + 40, font_, std::move(out)};
  }

 private:
  double gap() const { return 18; }
  double caption_height() const { return panels_.size() > 1 || !panels_[0].name.empty() ? 24 : 0; }
  // Where maps, their captions and the labels below them end.
  double bottom() const { return top_ + down_ * (high_ + caption_height()) + (down_ - 1) * 14 + below_; }

  // Every how many labels there is one: those of small cells would lie on each other.
  int step() const { return static_cast<int>(std::ceil(font_ * 1.05 / cell_)); }

  void measure_labels() {
    int row_columns = 0, label_columns = 0;
    for (const std::string& label : map_.rows)
      row_columns = std::max(row_columns, std::min(width(label), limit_));
    for (const std::string& label : map_.columns)
      label_columns = std::max(label_columns, std::min(width(label), limit_));
    const double longest = label_columns * kEm * font_ + 4;
    left_ = 16 + 20 + row_columns * font_ * kEm + 10;
    if (longest <= cell_ - 2)
      angle_ = 0;
    else
      angle_ = cell_ >= 24 ? -45 : -90;
    const double rise = angle_ == 0 ? font_ : angle_ == -45 ? longest * 0.71 + font_ * 0.5 : longest;
    overhang_ = angle_ == -45 ? std::max(0.0, longest * 0.71 - cell_ / 2 - 40) : 0;
    const double maps = left_ + across_ * (wide_ + gap()) - gap() + overhang_ + 70;
    width_ = std::max({maps, std::min(text_width(map_.title, 18) + 32, 640.0), 260.0});
    title_ = svg_title(map_.title, width_);
    top_ = std::max(title_.height, 10.0) + 22 + rise + 8;
    // So tall a map has its columns named at its lower end, too.
    if (panels_.size() == 1 && angle_ == -90 && high_ > 560) below_ = longest + 8;
  }

  std::string axis_names() const {
    const double middle = left_ + (across_ * (wide_ + gap()) - gap()) / 2;
    std::string out = fmt::format(
        "<text x=\"{:.4g}\" y=\"{:.4g}\" text-anchor=\"middle\" font-size=\"12\" "
        "fill=\"#51606e\">{}</text>\n",
        middle, std::max(title_.height, 10.0) + 12, xml(map_.column_name));
    return out + fmt::format(
                     "<text transform=\"translate(22 {:.4g}) rotate(-90)\" text-anchor=\"middle\" "
                     "font-size=\"12\" fill=\"#51606e\">{}</text>\n",
                     top_ + high_ / 2, xml(map_.row_name));
  }

  // A label, and the whole of it as a tooltip where it was cut.
  std::string label(const std::string& text, const std::string& attributes) const {
    const std::string whole = width(text) > limit_ ? "<title>" + xml(text) + "</title>" : "";
    return fmt::format("<text {}>{}{}</text>\n", attributes, whole, xml(elide_label(text, limit_)));
  }

  std::string row_labels(const Panel& panel, double y) const {
    std::string out;
    for (int row = 0; row < panel.height; row += step()) {
      const bool hidden = panels_.size() == 1 && panel.row_is_hidden(row);
      out += label(map_.rows[static_cast<size_t>(row)],
                   fmt::format("x=\"{:.4g}\" y=\"{:.5g}\" text-anchor=\"end\"{}", left_ - 8,
                               y + (row + 0.5) * cell_ + font_ * 0.36, hidden ? " fill=\"#9aa3ab\"" : ""));
    }
    return out;
  }

  std::string column_labels(double x) const {
    std::string out;
    for (int column = 0; column < map_.breadth(); column += step()) {
      const double middle = x + (column + 0.5) * cell_;
      const std::string place =
          angle_ == 0 ? fmt::format("x=\"{:.5g}\" y=\"{:.4g}\" text-anchor=\"middle\"", middle, top_ - 8)
                      : fmt::format("transform=\"translate({:.5g} {:.4g}) rotate({})\"",
                                    middle + (angle_ == -90 ? font_ * 0.36 : 0), top_ - 8, angle_);
      out += label(map_.columns[static_cast<size_t>(column)], place);
    }
    return out;
  }

  std::string column_labels_below(double x) const {
    std::string out;
    for (int column = 0; column < map_.breadth(); column += step())
      out +=
          label(map_.columns[static_cast<size_t>(column)],
                fmt::format("transform=\"translate({:.5g} {:.5g}) rotate(-90)\" text-anchor=\"end\"",
                            x + (column + 0.5) * cell_ + font_ * 0.36, top_ + high_ + caption_height() + 8));
    return out;
  }

  // Cells of one colour are one path, so that a large map stays a small file.
  std::string cells(const Panel& panel) const {
    std::array<std::string, kLevels> paths;
    std::string hidden, values, rings, words;
    const double side = cell_ >= 10 ? cell_ - 1 : cell_;
    const auto box = [&](int row, int column, double columns) {
      return fmt::format("M{:.5g} {:.5g}h{:.4g}v{:.4g}h-{:.4g}z", column * cell_, row * cell_, columns, side,
                         columns);
    };
    for (int row = 0; row < panel.height; ++row) {
      if (panel.row_is_hidden(row)) {
        hidden += box(row, 0, wide_ - cell_ + side);
        const double size = std::min(12.0, cell_ * 0.7);
        if (cell_ >= 10 && wide_ > 60)
          words += fmt::format(
              "<text x=\"{:.4g}\" y=\"{:.5g}\" stroke=\"#f3f3f1\" stroke-width=\"4\" paint-order=\"stroke\" "
              "font-size=\"{:.3g}\" font-style=\"italic\" fill=\"#6b747c\">hidden</text>\n",
              wide_ / 2, (row + 0.5) * cell_ + size * 0.34, size);
        continue;
      }
      for (int column = 0; column < panel.breadth; ++column) {
        const float w = panel.at(row, column);
        if (panel.is_hidden(row, column)) {
          hidden += box(row, column, side);
          continue;
        }
        const float share = std::min(w / most_, 1.0f);
        paths[static_cast<size_t>(share * (kLevels - 1) + 0.5f)] += box(row, column, side);
        if (cell_ >= 27)
          values +=
              fmt::format("<text x=\"{:.5g}\" y=\"{:.5g}\"{}>{}</text>\n", column * cell_ + side / 2,
                          (row + 0.5) * cell_ + 3.4, wants_dark_text(color_of(share)) ? "" : " fill=\"#fff\"",
                          w == 0       ? "0"
                          : w < 0.005f ? "&lt;.01"
                                       : fmt::format("{:.2f}", w));
        if (panel.is_chosen(row, column))
          rings += fmt::format("<rect x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.4g}\" height=\"{:.4g}\"/>\n",
                               column * cell_, row * cell_, side, side);
      }
    }
    std::string out = "<g shape-rendering=\"crispEdges\">\n";
    if (!hidden.empty()) out += "<path fill=\"url(#hidden)\" d=\"" + hidden + "\"/>\n";
    for (int level = 0; level < kLevels; ++level) {
      const std::string& path = paths[static_cast<size_t>(level)];
      if (!path.empty())
        out += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n",
                           color_of(static_cast<float>(level) / (kLevels - 1)).hex(), path);
    }
    out += "</g>\n";
    if (!rings.empty())
      out += fmt::format("<g fill=\"none\" stroke=\"#e8590c\" stroke-width=\"{:.3g}\">\n{}</g>\n",
                         std::clamp(cell_ / 12, 1.0, 2.5), rings);
    if (!values.empty())
      out += fmt::format("<g font-size=\"{:.3g}\" text-anchor=\"middle\">\n{}</g>\n",
                         std::min(11.0, cell_ * 0.33), values);
    if (!words.empty()) out += "<g text-anchor=\"middle\">\n" + words + "</g>\n";
    return out;
  }

  // The colour scale from 0 up, and what hatching and rings mean.
  std::string legend(double x) const {
    const double high = std::clamp(high_ * down_, 60.0, 160.0);
    std::string out = "<g font-size=\"11\" fill=\"#51606e\">\n";
    for (int level = 0; level < kLevels; ++level)
      out += fmt::format(
          "<rect x=\"{:.5g}\" y=\"{:.5g}\" width=\"12\" height=\"{:.4g}\" fill=\"{}\" "
          "shape-rendering=\"crispEdges\"/>\n",
          x, top_ + high * (kLevels - 1 - level) / kLevels, high / kLevels + 0.5,
          color_of(static_cast<float>(level) / (kLevels - 1)).hex());
    out += fmt::format("<text x=\"{:.5g}\" y=\"{:.5g}\">{:.2f}</text>\n", x + 17, top_ + 9, most_);
    out += fmt::format("<text x=\"{:.5g}\" y=\"{:.5g}\">0</text>\n", x + 17, top_ + high);
    out += "</g>\n";
    return out + notes();
  }

  std::string notes() const {
    bool hidden = false, hard = false;
    for (const Panel& panel : panels_) {
      hard = hard || !panel.chosen.empty();
      for (int row = 0; row < panel.height && !hidden; ++row)
        for (int column = 0; column < panel.breadth && !hidden; ++column)
          hidden = panel.is_hidden(row, column);
    }
    const double y = bottom() + 22;
    double x = left_;
    std::string out;
    if (hidden) {
      out += fmt::format(
          "<rect x=\"{:.5g}\" y=\"{:.5g}\" width=\"11\" height=\"11\" fill=\"url(#hidden)\"/>"
          "<text x=\"{:.5g}\" y=\"{:.5g}\" font-size=\"11\" fill=\"#51606e\">hidden</text>\n",
          x, y - 10, x + 16, y);
      x += 70;
    }
    if (hard)
      out += fmt::format(
          "<rect x=\"{:.5g}\" y=\"{:.5g}\" width=\"10\" height=\"10\" fill=\"none\" stroke=\"#e8590c\" "
          "stroke-width=\"2\"/>"
          "<text x=\"{:.5g}\" y=\"{:.5g}\" font-size=\"11\" fill=\"#51606e\">chosen</text>\n",
          x, y - 9.5, x + 16, y);
    return out;
  }

  const Map& map_;
  int limit_;
  std::vector<Panel> panels_;
  float most_;
  int across_ = 1, down_ = 1, angle_ = 0;
  Title title_;
  double width_ = 0, cell_ = 0, font_ = 0, wide_ = 0, high_ = 0, left_ = 0, top_ = 0, overhang_ = 0,
         below_ = 0;
};

}  // namespace

Drawing drawing_of(const Map& map, const SvgOptions& options) {
  map.check(options.head);
  const int64_t cells =
      int64_t{map.height()} * map.breadth() * (options.head == kEveryHead ? map.heads() : 1);
  check(cells <= kMaxCells, "svg", "{} cells: expected {} or fewer; choose one head, or write HTML", cells,
        kMaxCells);
  return Picture(map, options).draw();
}

std::string to_svg(const Map& map, const SvgOptions& options) { return svg_of({drawing_of(map, options)}); }

}  // namespace fovea::look
