#include "fovea/data/pictures/scene.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fovea::data {

std::string_view name_of(ShapeKind kind) {
  constexpr std::string_view kNames[] = {"circle", "square", "triangle", "star"};
  return kNames[static_cast<size_t>(kind)];
}
std::string_view name_of(Colour colour) {
  constexpr std::string_view kNames[] = {"red", "green", "blue", "yellow", "purple", "orange"};
  return kNames[static_cast<size_t>(colour)];
}
std::string_view name_of(ShapeSize size) { return size == ShapeSize::kSmall ? "small" : "large"; }
std::string_view name_of(Relation relation) {
  constexpr std::string_view kNames[] = {"left of", "right of", "above", "below"};
  return kNames[static_cast<size_t>(relation)];
}
Relation opposite(Relation relation) {
  return static_cast<Relation>(static_cast<uint8_t>(relation) ^ 1);  // the two of a pair stand side by side
}

std::optional<Relation> relation_between(const SceneObject& a, const SceneObject& b, float clear) {
  const float dx = a.x - b.x, dy = a.y - b.y;
  if (dx == 0 && dy == 0) return {};
  if (std::abs(dx) >= clear * std::abs(dy)) return dx < 0 ? Relation::kLeftOf : Relation::kRightOf;
  if (std::abs(dy) >= clear * std::abs(dx)) return dy < 0 ? Relation::kAbove : Relation::kBelow;
  return {};
}

std::optional<std::vector<size_t>> match(const Description& description, const Scene& scene) {
  const size_t named = description.objects.size();
  if (named > scene.objects.size()) return {};
  const auto fits = [&](const std::vector<size_t>& chosen) {
    for (size_t i = 0; i < named; ++i) {
      const Description::Object& said = description.objects[i];
      const SceneObject& is = scene.objects[chosen[i]];
      if (said.kind != is.kind || said.colour.value_or(is.colour) != is.colour ||
          said.size.value_or(is.size) != is.size)
        return false;
    }
    return std::all_of(description.statements.begin(), description.statements.end(), [&](const auto& said) {
      return relation_between(scene.objects[chosen[said.subject]], scene.objects[chosen[said.other]]) ==
             said.relation;
    });
  };
  std::vector<size_t> order(scene.objects.size());
  std::iota(order.begin(), order.end(), size_t{0});
  do {
    if (fits(order)) {
      order.resize(named);
      return order;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return {};
}

bool holds(const Description& description, const Scene& scene) {
  return match(description, scene).has_value();
}

bool says_all(const Description& description, const Scene& scene) {
  const size_t n = scene.objects.size();
  if (description.objects.size() != n) return false;
  for (const Description::Object& object : description.objects)
    if (!object.colour || !object.size) return false;
  // Objects that statements connect get one number.
  std::vector<size_t> group(n);
  std::iota(group.begin(), group.end(), size_t{0});
  for (const Description::Statement& said : description.statements)
    std::replace(group.begin(), group.end(), size_t{group[said.other]}, size_t{group[said.subject]});
  return std::all_of(group.begin(), group.end(), [&](size_t g) { return g == group[0]; }) &&
         holds(description, scene);
}

}  // namespace fovea::data
