// Parameters that version 0.1 called otherwise: its "decoder.0.think.in.weight" is "decoder.0.feed_forward.in.weight" today.
#pragma once

#include <string>

namespace fovea::models {

// Today's name of a parameter of ours; names of today stay as they are.
std::string current_name(const std::string& name);

}  // namespace fovea::models
