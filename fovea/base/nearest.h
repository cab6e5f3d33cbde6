// For messages about a name that is not known: the names that are, nearest first.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea {

// Levenshtein: the fewest insertions, deletions and replacements of a byte that make a into b.
inline size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

// Up to `count` of the names, nearest to `name` first; names at one distance keep their order.
// Only the first 256 bytes of a name count, so that long names cost little.
inline std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names,
                                        size_t count) {
  std::vector<std::pair<size_t, size_t>> order;
  for (size_t i = 0; i < names.size(); ++i)
    order.emplace_back(edit_distance(name.substr(0, 256), std::string_view(names[i]).substr(0, 256)), i);
  std::sort(order.begin(), order.end());
  std::vector<std::string> found;
  for (size_t i = 0; i < std::min(count, order.size()); ++i) found.push_back(names[order[i].second]);
  return found;
}

// ": did you mean 'train'?" for a message about `name`; nothing where no name is near: a third of its letters may be wrong,
// or two that changed places.
inline std::string did_you_mean(std::string_view name, const std::vector<std::string>& names) {
  const std::vector<std::string> found = nearest(name, names, 1);
  if (found.empty()) return "";
  const size_t wrong = edit_distance(name.substr(0, 256), std::string_view(found[0]).substr(0, 256));
  const size_t length = std::max(name.size(), found[0].size()),
               most = length < 4 ? 1 : std::max<size_t>(2, length / 3);
  return wrong <= most ? ": did you mean '" + found[0] + "'?" : "";
}

// All of them, for a message: "reverse, dates, copy".
inline std::string nearest_first(std::string_view name, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& near : nearest(name, names, names.size()))
    text += text.empty() ? near : ", " + near;
  return text;
}

// The one that is near, otherwise all of them: ": did you mean 'copy'?" or "; there are reverse, dates, copy".
inline std::string near_or_all(std::string_view name, const std::vector<std::string>& names) {
  const std::string hint = did_you_mean(name, names);
  return hint.empty() ? "; there are " + nearest_first(name, names) : hint;
}

}  // namespace fovea
