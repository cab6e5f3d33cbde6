#include "fovea/look/map.h"

#include <algorithm>

#include "fovea/base/error.h"

namespace fovea::look {

void Map::check(int head) const {
  constexpr std::string_view kWho = "look";
  fovea::check(
      weights.defined() && weights.dtype() == DType::kF32 && (weights.rank() == 2 || weights.rank() == 3),
      kWho, "weights of shape {} and type {}: expected f32 [T, S] or [H, T, S]", weights.shape().str(),
      name_of(weights.dtype()));
  fovea::check(weights.size() > 0, kWho, "weights of shape {}: there is nothing to show",
               weights.shape().str());
  const auto t = static_cast<size_t>(weights.dim(-2)), s = static_cast<size_t>(weights.dim(-1));
  fovea::check(rows.size() == t, kWho, "{} row labels for weights of shape {}: expected {}", rows.size(),
               weights.shape().str(), t);
  fovea::check(columns.size() == s, kWho, "{} column labels for weights of shape {}: expected {}",
               columns.size(), weights.shape().str(), s);
  for (float w : weights.span<float>())
    fovea::check(w >= 0 && w <= 1.001f, kWho, "a weight of {}: expected numbers from 0 to 1", w);
  fovea::check(chosen.empty() || chosen.size() == static_cast<size_t>(heads()) * t, kWho,
               "{} choices for {} heads of {} rows: expected one for each", chosen.size(), heads(), t);
  for (int column : chosen)
    fovea::check(column >= -1 && column < breadth(), kWho, "the choice {} among {} columns", column, s);
  fovea::check(head_names.empty() || head_names.size() == static_cast<size_t>(heads()), kWho,
               "{} names for {} heads: expected one for each", head_names.size(), heads());
  fovea::check(head >= kEveryHead && head < heads(), kWho, "head {}: the map has {}, counted from 0", head,
               heads());
}

namespace {

Panel weights_of(const Map& map, int head) {
  const int heads = map.heads();
  Panel panel{map.height(), map.breadth(), {}, {}, {}, false, ""};
  const auto all = map.weights.span<float>();
  const size_t cells = all.size() / static_cast<size_t>(heads);
  if (heads == 1) head = 0;
  if (head == kMean) {
    panel.weights.assign(cells, 0.0f);
    for (size_t i = 0; i < all.size(); ++i) panel.weights[i % cells] += all[i] / static_cast<float>(heads);
    panel.name = fmt::format("mean of {} heads", heads);
    return panel;
  }
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(cells) * head;
  panel.weights.assign(first, first + static_cast<std::ptrdiff_t>(cells));
  if (!map.chosen.empty()) {
    const auto choice = map.chosen.begin() + static_cast<std::ptrdiff_t>(head) * panel.height;
    panel.chosen.assign(choice, choice + panel.height);
  }
  if (!map.head_names.empty())
    panel.name = map.head_names[static_cast<size_t>(head)];
  else if (heads > 1)
    panel.name = fmt::format("head {}", head);
  return panel;
}

}  // namespace

Panel panel_of(const Map& map, int head) {
  Panel panel = weights_of(map, head);
  for (auto row = panel.weights.begin(); row != panel.weights.end(); row += panel.breadth)
    panel.seen.push_back(static_cast<int>(panel.breadth - std::count(row, row + panel.breadth, 0.0f)));
  panel.one_hot = !panel.chosen.empty() && *std::max_element(panel.seen.begin(), panel.seen.end()) < 2;
  return panel;
}

std::vector<Panel> panels_of(const Map& map, int head) {
  std::vector<Panel> panels;
  if (head != kEveryHead) return {panel_of(map, head)};
  for (int h = 0; h < map.heads(); ++h) panels.push_back(panel_of(map, h));
  return panels;
}

std::vector<int> chosen_columns(const Tensor& weights) {
  std::vector<int> chosen;
  const auto all = weights.span<float>();
  const auto columns = static_cast<std::ptrdiff_t>(weights.dim(-1));
  for (auto row = all.begin(); row != all.end(); row += columns) {
    const auto most = std::max_element(row, row + columns);
    chosen.push_back(*most > 0 ? static_cast<int>(most - row) : -1);
  }
  return chosen;
}

float largest(const std::vector<Panel>& panels) {
  float most = 0;
  for (const Panel& panel : panels)
    for (float w : panel.weights) most = std::max(most, w);
  return most > 0 ? most : 1;
}

}  // namespace fovea::look
