#include "fovea/look/svg_title.h"

#include "fovea/base/error.h"
#include "fovea/look/escape.h"
#include "fovea/look/font.h"

namespace fovea::look {
namespace {

constexpr double kSize = 16, kLine = 22, kMargin = 16;
constexpr double kBold = 1.08;  // bold letters are that much wider

}  // namespace

std::vector<std::string> title_lines(std::string_view title, int columns) {
  constexpr std::string_view kArrow = " → ";
  const size_t arrow = title.find(kArrow);
  if (width(title) <= columns || arrow == std::string_view::npos) return wrap(title, columns);
  std::vector<std::string> lines = wrap(title.substr(0, arrow), columns);
  for (const std::string& line : wrap(title.substr(arrow + 1), columns)) lines.push_back(line);
  return lines;
}

Title svg_title(const std::string& title, double width) {
  if (title.empty()) return {};
  Title out{4, "<title>" + xml(title) + "</title>\n"};
  const auto columns = static_cast<int>((width - 2 * kMargin) / (kSize * kEm * kBold) + 1e-6);
  for (const std::string& line : title_lines(title, columns)) {
    out.height += kLine;
    out.elements += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" font-weight=\"600\">{}</text>\n",
                                kMargin, out.height, kSize, xml(line));
  }
  out.height += 12;
  return out;
}

}  // namespace fovea::look
