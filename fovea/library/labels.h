// Tokens as the labels of a map's rows and columns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/tokenizer.h"
#include "fovea/look/merge.h"

namespace fovea::library {

// The id of unknown tokens; -1 where nothing is unknown. GPT-2's tokenizers name their end of text for it, and never use it so: they
// know every byte.
int32_t unknown_id(const data::Tokenizer& tokenizer);

// The tokens of a line; unknown ones are marked, as "unicorn<unk>".
std::vector<std::string> labels_of(const data::Tokenizer& tokenizer, std::string_view line);
// The same for ids that a model read: those of the line, with special tokens around them.
std::vector<std::string> labels_of(const data::Tokenizer& tokenizer, std::span<const int32_t> ids,
                                   std::string_view line);

// Tokens that become words. `word_of` has the number of each token's word in `text`; tokens before and after those are special ones,
// which stay by themselves. A word is marked as unknown where one of its tokens is.
look::Merge words_of_tokens(const std::vector<int32_t>& word_of, std::string_view text,
                            const std::vector<std::string>& tokens, size_t specials_before = 0);

}  // namespace fovea::library
