// A model's config.json from the settings of its training.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "fovea/train/settings.h"

namespace fovea::train {

// {"model_type": "rnn", "source_vocab": 6000, "dim_emb": 256, ...}: every setting that is about the model, with _ for -.
nlohmann::json model_config(const Settings& settings, int64_t source_vocab, int64_t target_vocab);

}  // namespace fovea::train
