#include "fovea/look/svg_grid.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/look/colors.h"
#include "fovea/look/escape.h"
#include "fovea/look/font.h"
#include "fovea/look/thumbnail.h"

namespace fovea::look {
namespace {

constexpr double kGap = 8, kLeft = 58, kTop = 58, kSide = 92;
constexpr size_t kScaleLevels = kScale.size();
constexpr double kMostPixels = 300'000;  // of all thumbnails together

class HeadGrid {
 public:
  HeadGrid(const Stack& stack, bool shared, int64_t heads) : stack_(stack), shared_(shared) {
    const int longest =
        std::clamp(static_cast<int>(std::sqrt(kMostPixels / static_cast<double>(heads))), 8, 64);
    size_ = thumbnail_size(stack, longest);
    pixel_ = kSide / std::max(size_.width, size_.height);
    if (pixel_ > 2) pixel_ = std::floor(std::min(pixel_, 16.0));  // whole ones are sharp
    for (int layer = 0; layer < stack.depth(); ++layer)
      for (int head = 0; head < stack.breadth(); ++head) {
        thumbnails_.push_back(thumbnail(stack, layer, head, longest));
        most_ = std::max(most_, thumbnails_.back().most);
      }
  }

  Drawing draw() const {
    const double bottom = kTop + stack_.depth() * (high() + kGap);
    Drawing drawing;
    drawing.width = std::max(kLeft + stack_.breadth() * (wide() + kGap) + 16, 420.0);
    drawing.height = bottom + 36;
    drawing.elements = headings();
    for (size_t i = 0; i < thumbnails_.size(); ++i) {
      const auto layer = static_cast<int>(i) / stack_.breadth(),
                 head = static_cast<int>(i) % stack_.breadth();
      drawing.elements += fmt::format(
          "<g transform=\"translate({:.5g} {:.5g})\"><title>{}, layer {}, head {}: largest weight "
          "{:.2f}</title>\n{}</g>\n",
          x_of(head), y_of(layer), xml(stack_.name), stack_.layer_number(layer), stack_.head_number(head),
          thumbnails_[i].largest, cells(thumbnails_[i]));
    }
    drawing.elements += legend(bottom + 14);
    return drawing;
  }

 private:
  double wide() const { return size_.width * pixel_; }
  double high() const { return size_.height * pixel_; }
  double x_of(int head) const { return kLeft + head * (wide() + kGap); }
  double y_of(int layer) const { return kTop + layer * (high() + kGap); }

  std::string headings() const {
    std::string out = fmt::format(
        "<text x=\"16\" y=\"22\" font-size=\"14\" font-weight=\"600\">{} <tspan font-weight=\"400\" "
        "font-size=\"12\" "
        "fill=\"#51606e\" dx=\"8\">{} down ({}), {} across ({})</tspan></text>\n<g fill=\"#51606e\">\n",
        xml(stack_.name), xml(stack_.row_name), stack_.rows.size(), xml(stack_.column_name),
        stack_.columns.size());
    for (int head = 0; head < stack_.breadth(); ++head)
      out += fmt::format("<text x=\"{:.5g}\" y=\"{:.5g}\" text-anchor=\"middle\">{}{}</text>\n",
                         x_of(head) + wide() / 2, kTop - 8, head == 0 && wide() > 40 ? "head " : "",
                         stack_.head_number(head));
    for (int layer = 0; layer < stack_.depth(); ++layer)
      out +=
          fmt::format("<text x=\"{:.5g}\" y=\"{:.5g}\" text-anchor=\"end\">{}{}</text>\n", kLeft - 8,
                      y_of(layer) + high() / 2 + 4, layer == 0 ? "layer " : "", stack_.layer_number(layer));
    return out + "</g>\n";
  }

  // Neighbours of one colour are one box, and boxes of one colour one path.
  std::string cells(const Thumbnail& head) const {
    const float most = shared_ ? most_ : head.most;
    std::array<std::string, kScaleLevels> paths;
    for (int y = 0; y < size_.height; ++y)
      for (int x = 0, end = 0; x < size_.width; x = end) {
        const int level = level_of(head.at(y, x), most);
        for (end = x + 1; end < size_.width && level_of(head.at(y, end), most) == level;) ++end;
        if (level >= 0)
          paths[static_cast<size_t>(level)] +=
              fmt::format("M{:.5g} {:.5g}h{:.4g}v{:.4g}h-{:.4g}z", x * pixel_, y * pixel_, (end - x) * pixel_,
                          pixel_, (end - x) * pixel_);
      }
    std::string out = fmt::format(
        "<rect width=\"{:.5g}\" height=\"{:.5g}\" fill=\"#efeeeb\"/><g shape-rendering=\"crispEdges\">\n",
        wide(), high());
    for (size_t level = 0; level < kScaleLevels; ++level)
      if (!paths[level].empty())
        out += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", kScale[level].hex(), paths[level]);
    return out + "</g>";
  }

  // -1 where every weight is hidden.
  static int level_of(float w, float most) {
    if (w == 0) return -1;
    return static_cast<int>(std::lround(std::min(w / most, 1.0f) * static_cast<float>(kScaleLevels - 1)));
  }

  std::string legend(double y) const {
    std::string out = fmt::format(
        "<g font-size=\"11\" fill=\"#51606e\"><text x=\"{:.5g}\" y=\"{:.5g}\">0</text>\n", kLeft, y + 9);
    constexpr double kStep = 6;
    for (size_t level = 0; level < kScaleLevels; ++level)
      out +=
          fmt::format("<rect x=\"{:.5g}\" y=\"{:.5g}\" width=\"{}\" height=\"10\" fill=\"{}\"/>",
                      kLeft + 12 + static_cast<double>(level) * kStep, y, kStep + 0.5, kScale[level].hex());
    const bool small = size_.width < stack_.weights.dim(3) || size_.height < stack_.weights.dim(2);
    const std::string end = shared_ ? fmt::format("{:.2f}, the same colours in all heads", most_)
                            : small ? "each head's largest"
                                    : "each head's largest weight";
    return out +
           fmt::format("\n<text x=\"{:.5g}\" y=\"{:.5g}\">{}{}</text></g>\n",
                       kLeft + 20 + kScaleLevels * kStep, y + 9, end,
                       small ? fmt::format("; a pixel is the mean of up to {} weights", per_pixel()) : "");
  }

  int64_t per_pixel() const {
    const auto up = [](int64_t n, int64_t parts) { return (n + parts - 1) / parts; };
    return up(stack_.weights.dim(2), size_.height) * up(stack_.weights.dim(3), size_.width);
  }

  const Stack& stack_;
  bool shared_;
  ThumbnailSize size_;
  double pixel_ = 1;
  std::vector<Thumbnail> thumbnails_;
  float most_ = 0;
};

}  // namespace

Drawing drawing_of_heads(const Stack& stack, bool shared_scale, int64_t heads) {
  return HeadGrid(stack, shared_scale, heads).draw();
}

}  // namespace fovea::look
