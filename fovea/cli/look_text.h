// Atlases of models that read or continue a text, and stacks of layers.
#pragma once

#include <string>
#include <vector>

#include "fovea/look/atlas.h"
#include "fovea/run/load.h"

namespace fovea::cli {

// What one sequence saw at one site, all of its layers, as a stack.
look::Stack stack_of_layers(const std::string& name, const std::vector<std::string>& rows,
                            const std::vector<std::string>& columns, const run::Looked& looked,
                            run::Site site, const char* row_name, const char* column_name);

// Where a model that reads or continues texts looks in this one. `words`: words instead of pieces.
look::Atlas atlas_of_text(const run::Loaded& model, const std::string& text, bool words);

}  // namespace fovea::cli
