// The head of an encoder, by Hugging Face's names of architectures: BertForMaskedLM, RobertaForSequenceClassification, ...
#pragma once

#include <string>

#include "fovea/models/bert_options.h"
#include "fovea/models/layouts/fields.h"

namespace fovea::models {

// `family` is what the names begin with: "Bert". Reads or writes the head, its labels, and how sentences become vectors.
void encoder_head(FieldReader& f, BertOptions& options, const std::string& family);
void encoder_head(FieldWriter& f, const BertOptions& options, const std::string& family);

}  // namespace fovea::models
