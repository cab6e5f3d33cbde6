// What a model looked at, as alignments between words or pieces.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/link.h"
#include "fovea/data/tokenizer.h"
#include "fovea/tensor/tensor.h"

namespace fovea::decode {

// For each id: which word of decode(ids) it belongs to, from 0, never less than for the id before. As
// Tokenizer::words_of, for ids that no line was encoded to.
std::vector<int32_t> words_of_ids(const data::Tokenizer& tokenizer, std::span<const int32_t> ids);

// The weights of words from those of pieces: f32 [H, T, S] as [T', S'].
//   a[i, j] = mean over heads, mean over the pieces t of target word i, sum over the pieces s of source word j of w[h, t, s]
// `source` and `target` say which word each piece belongs to; -1: none, its weights count nowhere. A piece beyond their end is
// <eos>, and stands alone in the last column or row. Rows still add up to 1.
Tensor align_words(const Tensor& weights, std::span<const int32_t> source, std::span<const int32_t> target);
// The same with every piece by itself: the mean over heads, [T, S].
Tensor align_pieces(const Tensor& weights);

// One link for each of the first `targets` rows: to the column that has most of its weight, the first of equals. The last
// column, <eos>, is no word and gets none. Sorted by source.
std::vector<Link> hard_links(const Tensor& alignment, int64_t targets);

// Rows separated by blanks, numbers by commas, as Marian writes soft alignments: "0.9,0.05,0.05 0.1,0.8,0.1".
std::string format_soft(const Tensor& alignment);

}  // namespace fovea::decode
