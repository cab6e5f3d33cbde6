// The rows of the table of corpora, each from its own file.
#pragma once

#include "fovea/data/corpora.h"

namespace fovea::data {

CorpusKind copy_corpus();
CorpusKind reverse_corpus();
CorpusKind dates_corpus();
CorpusKind grammar_corpus();

}  // namespace fovea::data
