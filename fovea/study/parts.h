// The pairs that a study teaches and tests with: a built-in corpus, or the user's own files. Train, valid and test
// never share a source line.
#pragma once

#include <string>
#include <string_view>

#include "fovea/data/corpora.h"

namespace fovea::study {

struct Parts {
  data::Corpus pairs;
  // What suits them: words where each side has few enough different ones, otherwise pieces of words.
  std::string tokenizer = "word";
};

Parts corpus_parts(std::string_view corpus, const data::CorpusOptions& options);

// A hash of the source line says which part a pair belongs to. A tenth of the pairs, and 1,000 or so at the most, are for tests,
// half as many for validation. Pairs with an empty side are left out. Throws where a part would be empty.
Parts file_parts(const std::string& source, const std::string& target);

}  // namespace fovea::study
