// Atlases of models that read or continue a text, and stacks of layers.
#pragma once

#include <string>
#include <vector>

#include "fovea/look/atlas.h"
#include "fovea/models/model_dir.h"

namespace fovea::cli {

// Layers of looks at one sentence as a stack.
look::Stack stack_of_layers(const std::string& name, const std::vector<std::string>& rows,
                            const std::vector<std::string>& columns, const models::LayerLooks& layers,
                            const char* row_name, const char* column_name);

// Where a model that reads or continues texts looks in this one. `words`: words instead of pieces.
look::Atlas atlas_of_text(const models::AnyModel& model, const std::string& text, bool words);

}  // namespace fovea::cli
