// A net's parameters by the names that files have for them.
#pragma once

#include "fovea/models/layouts/names.h"
#include "fovea/models/net.h"

namespace fovea::models {

// Rows of each part of a joint projection.
struct JointRows {
  int64_t query = 0, key = 0;  // values are as keys
};

// Every parameter as file_parts() has it.
std::vector<Stored> stored_as(const nn::ParameterList& parameters, const Layout* layout, JointRows rows);

}  // namespace fovea::models
