// The first step of a tokenizer.json: text into the form that the vocabulary is written in.
//   BertNormalizer   control characters away, CJK characters between blanks, accents away, small letters: what its flags say
//   NFD              characters fall apart into letters and accents
//   NFC              letters and accents come together as one character, where there is one
//   Precompiled      SentencePiece's table of normalised forms
//   Lowercase        small letters, character by character: a sigma at the end of a word is like any other
//   Replace          each occurrence of a string by another; of regular expressions only " {2,}", several blanks, and "\\s+", white space
//   Prepend          a string in front of text that is not empty
//   Sequence         one after the other
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "fovea/data/pipeline/aligned_text.h"

namespace fovea::data {

using Normalizer = std::function<void(AlignedText&)>;

// `step` is the "normalizer" of a tokenizer.json; null leaves text as it is. Throws for steps that are not in the list.
Normalizer read_normalizer(const nlohmann::json& step, std::string_view source);

// Every occurrence of `from`, which is not empty.
void replace_all(AlignedText& text, std::string_view from, std::string_view to);
void prepend(AlignedText& text, std::string_view front);

}  // namespace fovea::data
