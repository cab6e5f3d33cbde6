// Log-probabilities of lines by a model that continues texts.
#pragma once

#include <string>

#include "fovea/run/loaded.h"

namespace fovea::cli {

// For each line of a file ("-": standard input): its log-probability, TAB, how many tokens that is of; with `words` also each piece and each
// one's log-probability. The first token, which nothing stands before, counts for nothing; it is the mark of a beginning where the model has one.
void score_texts(const run::LoadedDecoder& model, const std::string& path, bool words);

}  // namespace fovea::cli
