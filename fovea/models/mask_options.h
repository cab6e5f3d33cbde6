// The masks of models in config.json: {"enc_mask": "alibi+window:64"}.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "fovea/nn/masks/spec.h"

namespace fovea::models {

// Throws where the text is no mask, or none that an attention at this place can have.
void check_mask(const std::string& text, nn::Place place);

// A config with the names that masks had before: enc_window and dec_window, "local" and "window" of recurrent models become enc_mask,
// dec_mask and cross_mask.
nlohmann::json with_named_masks(nlohmann::json config);

// A layout of Hugging Face has no place for a mask: with one, the config is our own, of model_type "fovea-gpt2" instead of "gpt2", so
// that nobody runs the model without it.
constexpr std::string_view kOwnType = "fovea-";
nlohmann::json with_mask(nlohmann::json config, const char* key, const std::string& mask);

// Whether a parameter of this name is what a mask has learned. It has that name in every layout.
bool is_of_mask(std::string_view parameter);

}  // namespace fovea::models
