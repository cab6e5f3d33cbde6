// Choices at random.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>

#include "fovea/base/random.h"

namespace fovea::data::grammar {

class Dice {
 public:
  explicit Dice(Random& random) : random_(random) {}

  float uniform() { return random_.uniform(); }
  bool chance(float p) { return random_.uniform() < p; }
  template <typename T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[random_.below(static_cast<int64_t>(choices.size()))];
  }
  template <typename Row>
  int pick_row(std::span<const Row> rows) {
    return static_cast<int>(random_.below(static_cast<int64_t>(rows.size())));
  }
  // A row for which `fits` holds; there must be one.
  template <typename Row, typename Fits>
  int pick_row(std::span<const Row> rows, Fits&& fits) {
    int64_t k = random_.below(std::count_if(rows.begin(), rows.end(), fits));
    for (int i = 0;; ++i)
      if (fits(rows[static_cast<size_t>(i)]) && k-- == 0) return i;
  }

 private:
  Random& random_;
};

}  // namespace fovea::data::grammar
