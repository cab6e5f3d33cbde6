#include "fovea/run/embedding.h"

#include "fovea/base/scratch.h"

namespace fovea::run {

Embedding::Embedding(Weights& weights, const std::string& name, int64_t rows, int64_t width)
    : rows_(rows), width_(width), keeper_(weights.keeper()) {
  const std::vector<WeightPart> parts = weights.parts(name, rows, width);
  if (keeper_ && parts.size() == 1) {
    table_ = parts.front();
    return;
  }
  copy_ = weights.tensor(name, {rows, width});
  table_ = {.data = copy_.bytes_data(), .rows = rows, .cols = width};
}

void Embedding::rows(std::span<const int32_t> ids, float* to) const {
  for (const int32_t id : ids) {
    table_.row(id, to);
    to += width_;
  }
}

void Embedding::add_rows(std::span<const int32_t> ids, float* to) const {
  Scratch scratch;
  auto* row = scratch.take<float>(width_);
  for (const int32_t id : ids) {
    table_.row(id, row);
    for (int64_t c = 0; c < width_; ++c) to[c] += row[c];
    to += width_;
  }
}

}  // namespace fovea::run
