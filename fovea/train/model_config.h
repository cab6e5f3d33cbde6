// A model's config.json from the settings of its training.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "fovea/data/tokenizer.h"
#include "fovea/train/settings.h"

namespace fovea::train {

// {"model_type": "rnn", "source_vocab": 6000, "dim_emb": 256, ...}: every setting that is about the model, with _ for -.
nlohmann::json model_config(const Settings& settings, int64_t source_vocab, int64_t target_vocab,
                            const data::SpecialIds& source_ids = {}, const data::SpecialIds& target_ids = {});
// Of a gpt: Hugging Face's, of GPT-2 or Llama.
nlohmann::json language_config(const Settings& settings, int64_t vocab, const data::SpecialIds& ids);
// Of a bert: Hugging Face's.
nlohmann::json reading_config(const Settings& settings, int64_t vocab, const data::SpecialIds& ids,
                              const std::vector<std::string>& labels);

// Of a model that labels pictures: those of a set, unless --picture-size says otherwise.
nlohmann::json labelling_config(const Settings& settings, int64_t side, int64_t channels,
                                const std::vector<std::string>& labels);
// Of a model that says what it sees; the same with a vocabulary.
nlohmann::json captioning_config(const Settings& settings, int64_t side, int64_t channels, int64_t vocab,
                                 const data::SpecialIds& ids);

}  // namespace fovea::train
