// Ids into tensors, padded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/data/batch.h"
#include "fovea/data/dataset.h"

namespace fovea::data {

// The tensors of some pairs. `alignment` is there where the dataset is aligned: row (b, t) shares 1 among the
// source ids whose words are linked to the word of target id t; the rows of <eos> and of words without links are 0.
Batch make_batch(const Dataset& data, std::span<const int32_t> pairs);
// Ids from elsewhere, without <sos> and <eos>; empty rows are allowed. batch.lines counts from 0.
Batch make_batch(std::span<const std::vector<int32_t>> sources, std::span<const std::vector<int32_t>> targets,
                 const SpecialIds& source_ids = {}, const SpecialIds& target_ids = {});
// Sources alone, for decoding.
SourceBatch source_batch(std::span<const std::vector<int32_t>> sources, const SpecialIds& ids = {});

}  // namespace fovea::data
