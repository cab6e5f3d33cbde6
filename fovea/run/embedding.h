// Rows of a table by number. Of a directory they are read from the mapped file when they are asked for, as they lie there; of a net
// they are copied. Immutable.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/run/runner.h"
#include "fovea/run/weights.h"

namespace fovea::run {

class Embedding {
 public:
  Embedding() = default;
  Embedding(Weights& weights, const std::string& name, int64_t rows, int64_t width);

  bool defined() const { return rows_ > 0; }
  int64_t width() const { return width_; }
  // to[i] = row ids[i], which must be one. [ids, width].
  void rows(std::span<const int32_t> ids, float* to) const;
  // to[i] += the same.
  void add_rows(std::span<const int32_t> ids, float* to) const;

 private:
  int64_t rows_ = 0, width_ = 0;
  WeightPart table_;
  std::shared_ptr<const void> keeper_;
  Tensor copy_;
};

}  // namespace fovea::run
