// How sentence-transformers makes one vector of a sentence, which stands in files beside config.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fovea::models {

// Sets in `config` what modules.json, the config of its pooling module and sentence_bert_config.json say: "pooling" (mean or cls),
// "normalize" and "max_seq_length". Where there are no such files it stays as it is. Throws for modules, and ways to pool, that
// are not computed here: a vector made without them would be another one.
void add_sentence_config(nlohmann::json& config, const std::string& dir);

}  // namespace fovea::models
