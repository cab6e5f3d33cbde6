// The second step of a tokenizer.json: normalised text into words, which the model then cuts into pieces.
//   BertPreTokenizer   at white space, which goes away; each punctuation mark is a word
//   WhitespaceSplit    at white space, which goes away
//   ByteLevel          GPT-2's words (where use_regex says so), and every byte as a character that can be printed
//   Split              the words of a regular expression, one of those that word_patterns.h knows; what is between them goes away
//   Metaspace          blanks become a mark ("▁"); a word begins at each mark (where split says so)
//   Sequence           one after the other
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "fovea/data/pipeline/aligned_text.h"

namespace fovea::data {

// Takes words apart; no word is ever empty.
using PreTokenizer = std::function<void(std::vector<AlignedText>&)>;

// `step` is the "pre_tokenizer" of a tokenizer.json; null leaves words as they are. Throws for steps that are not in the list.
PreTokenizer read_pre_tokenizer(const nlohmann::json& step, std::string_view source);

}  // namespace fovea::data
