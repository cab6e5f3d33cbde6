// Names of tensors in files of other programs that differ between their versions, or say nothing new.
#pragma once

#include <string>
#include <string_view>

namespace fovea::models {

// Whether Hugging Face has models of this type.
bool is_hugging_face(std::string_view type);
// The name by which the model of this type knows the tensor: with or without the prefix that a saved body or whole model has.
std::string usual_name(std::string_view type, const std::string& name);
// Whether the tensor may be left out: constants, and copies of tied weights.
bool is_left_out(std::string_view type, const std::string& name);

}  // namespace fovea::models
