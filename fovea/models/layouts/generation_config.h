// generation_config.json of Hugging Face, which may know more ends of a text than config.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fovea::models {

class WeightFiles;

// Adds them to config["eos_token_id"].
void add_generation_ends(nlohmann::json& config, const std::string& dir, const WeightFiles& files);

}  // namespace fovea::models
