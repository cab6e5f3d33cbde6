// fovea look with a model that looks at pictures.
#pragma once

#include "fovea/cli/look_request.h"
#include "fovea/run/load.h"

namespace fovea::cli {

// A model that reads pictures, whether it looks at them or not.
bool reads_pictures(const run::Runner& model);
// What the model says of the picture that the request names, and where it looked.
void look_at_picture(const run::Loaded& model, const LookRequest& request);

}  // namespace fovea::cli
