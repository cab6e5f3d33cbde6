// The head of an encoder, by Hugging Face's names of architectures: BertForMaskedLM, RobertaForSequenceClassification, ...
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/models/bert_options.h"
#include "fovea/models/layouts/fields.h"

namespace fovea::models {

// Our name of a head, and how the name of its architecture ends: "ForMaskedLM".
struct HeadName {
  const char *name, *suffix;
};
// That of the first architecture of a config, "none" where there is none. Throws where it is not one of `family` with these endings.
std::string head_of(const HfConfig& config, const std::string& family, std::span<const HeadName> heads);
// Labels, by id2label; without it, LABEL_0 and LABEL_1 as Hugging Face has them.
std::vector<std::string> labels_of(const HfConfig& config);
void write_labels(FieldWriter& f, const std::vector<std::string>& labels);

// `family` is what the names begin with: "Bert". Reads or writes the head, its labels, and how sentences become vectors.
void encoder_head(FieldReader& f, BertOptions& options, const std::string& family);
void encoder_head(FieldWriter& f, const BertOptions& options, const std::string& family);

}  // namespace fovea::models
