// Which rows of a decoder's state a search keeps: row b * K + k is prefix k of sentence b.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/tensor/tensor.h"

namespace fovea::models {

// The rows that prefixes with these parents come from: i32 [B, K'], each in 0..K-1. Throws for other shapes and numbers.
inline std::vector<int32_t> rows_of_parents(const Tensor& parents, int64_t sentences, int64_t beams) {
  if (parents.rank() != 2 || parents.dim(0) != sentences || parents.dtype() != DType::kI32)
    fail("decode", "parents of shape {}: expected i32 [{}, K]", parents.shape().str(), sentences);
  std::vector<int32_t> rows;
  for (const int32_t parent : parents.span<int32_t>()) {
    if (parent < 0 || parent >= beams) fail("decode", "parent {}: expected 0 to {}", parent, beams - 1);
    const auto sentence = static_cast<int64_t>(rows.size()) / parents.dim(1);
    rows.push_back(static_cast<int32_t>(sentence * beams + parent));
  }
  return rows;
}

// The rows of these sentences, i32 [B'].
inline std::vector<int32_t> rows_of_sentences(const Tensor& sentences, int64_t beams) {
  std::vector<int32_t> rows;
  for (const int32_t sentence : sentences.span<int32_t>())
    for (int64_t k = 0; k < beams; ++k) rows.push_back(static_cast<int32_t>(sentence * beams + k));
  return rows;
}

// Prefixes [row][step] of the chosen rows.
inline std::vector<std::vector<int32_t>> chosen_prefixes(const std::vector<std::vector<int32_t>>& prefixes,
                                                         const std::vector<int32_t>& rows) {
  std::vector<std::vector<int32_t>> chosen;
  for (const int32_t row : rows) chosen.push_back(prefixes[static_cast<size_t>(row)]);
  return chosen;
}

// Elements of i32 [B] chosen by number.
inline Tensor chosen(const Tensor& values, const Tensor& at) {
  Tensor some = Tensor::empty({at.size()}, DType::kI32);
  for (int64_t i = 0; i < at.size(); ++i)
    some.data<int32_t>()[i] = values.data<int32_t>()[at.data<int32_t>()[i]];
  return some;
}

}  // namespace fovea::models
