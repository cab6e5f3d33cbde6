#include "fovea/look/merge.h"

#include <algorithm>

#include "fovea/base/error.h"

namespace fovea::look {
namespace {

void check_merge(const Merge& merge, int size, std::string_view what) {
  const bool fits = static_cast<int>(merge.into.size()) == size &&
                    std::is_sorted(merge.into.begin(), merge.into.end()) && merge.into.front() >= 0 &&
                    merge.into.back() < static_cast<int>(merge.labels.size());
  check(fits, "look", "{} {} do not become {} words: expected an ascending number below that for each of {}",
        merge.into.size(), what, merge.labels.size(), size);
}

// How many rows become each one.
std::vector<float> counts(const Merge& rows) {
  std::vector<float> count(rows.labels.size(), 0);
  for (const int row : rows.into) ++count[static_cast<size_t>(row)];
  return count;
}

std::vector<int> merged_choices(const Map& map, const Merge& rows, const Merge& columns) {
  constexpr int kNoneYet = -2;
  const size_t t = rows.into.size();
  std::vector<int> chosen(static_cast<size_t>(map.heads()) * rows.labels.size(), kNoneYet);
  for (size_t i = 0; i < map.chosen.size(); ++i) {
    int& choice = chosen[i / t * rows.labels.size() + static_cast<size_t>(rows.into[i % t])];
    const int met = map.chosen[i] < 0 ? -1 : columns.into[static_cast<size_t>(map.chosen[i])];
    choice = choice == kNoneYet || choice == met ? met : -1;
  }
  for (int& choice : chosen) choice = std::max(choice, -1);
  return chosen;
}

}  // namespace

Map merged(const Map& map, const Merge& rows, const Merge& columns) {
  map.check();
  check_merge(rows, map.height(), "rows");
  check_merge(columns, map.breadth(), "columns");
  const auto t = static_cast<int64_t>(rows.labels.size()), s = static_cast<int64_t>(columns.labels.size());
  Map words = map;
  words.rows = rows.labels;
  words.columns = columns.labels;
  words.weights = Tensor::zeros(map.weights.rank() == 3 ? Shape{map.heads(), t, s} : Shape{t, s});
  const std::vector<float> count = counts(rows);
  const float* from = map.weights.data<float>();
  float* to = words.weights.data<float>();
  for (int64_t head = 0; head < map.heads(); ++head)
    for (const int row : rows.into)
      for (const int column : columns.into)
        to[(head * t + row) * s + column] += *from++ / count[static_cast<size_t>(row)];
  if (!map.chosen.empty()) words.chosen = merged_choices(map, rows, columns);
  return words;
}

}  // namespace fovea::look
