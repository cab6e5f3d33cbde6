// What the rooms below found, as the public structs.
#pragma once

#include <string>
#include <vector>

#include "fovea/decode/classify.h"
#include "fovea/decode/generate.h"
#include "fovea/decode/translate.h"
#include "fovea/fovea.h"

namespace fovea::library {

Hypothesis hypothesis_of(const decode::Candidate& one);
Hypothesis hypothesis_of(const data::Tokenizer& tokenizer, const decode::Generated& made);
Classification classification_of(const std::vector<std::string>& labels, const decode::Classified& one);

}  // namespace fovea::library
