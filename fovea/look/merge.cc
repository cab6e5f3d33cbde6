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

std::vector<int> merged_choices(const std::vector<int>& from, const Merge& rows, const Merge& columns) {
  constexpr int kNoneYet = -2;
  const size_t t = rows.into.size();
  std::vector<int> chosen(from.size() / t * rows.labels.size(), kNoneYet);
  for (size_t i = 0; i < from.size(); ++i) {
    int& choice = chosen[i / t * rows.labels.size() + static_cast<size_t>(rows.into[i % t])];
    const int met = from[i] < 0 ? -1 : columns.into[static_cast<size_t>(from[i])];
    choice = choice == kNoneYet || choice == met ? met : -1;
  }
  for (int& choice : chosen) choice = std::max(choice, -1);
  return chosen;
}

// For a Map and a Stack, which name these members alike.
template <typename T>
T merged_words(const T& pieces, const Merge& rows, const Merge& columns) {
  pieces.check();
  check_merge(rows, static_cast<int>(pieces.rows.size()), "rows");
  check_merge(columns, static_cast<int>(pieces.columns.size()), "columns");
  const auto t = static_cast<int64_t>(rows.labels.size()), s = static_cast<int64_t>(columns.labels.size());
  const int64_t heads =
      pieces.weights.size() / static_cast<int64_t>(pieces.rows.size() * pieces.columns.size());
  T words = pieces;
  words.rows = rows.labels;
  words.columns = columns.labels;
  words.weights = Tensor::zeros({heads, t, s});
  const std::vector<float> count = counts(rows);
  const float* from = pieces.weights.template data<float>();
  float* to = words.weights.template data<float>();
  for (int64_t head = 0; head < heads; ++head)
    for (const int row : rows.into)
      for (const int column : columns.into)
        to[(head * t + row) * s + column] += *from++ / count[static_cast<size_t>(row)];
  words.chosen = merged_choices(pieces.chosen, rows, columns);
  return words;
}

}  // namespace

Map merged(const Map& map, const Merge& rows, const Merge& columns) {
  Map words = merged_words(map, rows, columns);
  if (map.weights.rank() == 2) words.weights = words.weights.reshape({words.height(), words.breadth()});
  return words;
}

Stack merged(const Stack& stack, const Merge& rows, const Merge& columns) {
  Stack words = merged_words(stack, rows, columns);
  words.weights =
      words.weights.reshape({stack.depth(), stack.breadth(), words.weights.dim(1), words.weights.dim(2)});
  if (stack.row >= 0) words.row = rows.into[static_cast<size_t>(stack.row)];
  return words;
}

}  // namespace fovea::look
