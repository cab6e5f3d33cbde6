// Pieces of text that become words in a map.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/look/merge.h"

namespace fovea::cli {

// `words` has the number of each piece's word in `text`; pieces before and after those are special tokens, which stay by
// themselves. A word is marked as unknown where one of its pieces is.
look::Merge words_of_pieces(const std::vector<int32_t>& words, std::string_view text,
                            const std::vector<std::string>& pieces, size_t specials_before = 0);

}  // namespace fovea::cli
