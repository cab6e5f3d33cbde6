#include "fovea/models/net.h"

#include "fovea/models/stored_names.h"

namespace fovea::models {

std::vector<Stored> Net::stored() {
  std::vector<Stored> tensors = stored_as(parameters(), nullptr, {});
  for (const NamedTensor& buffer : buffers()) tensors.push_back({buffer.name, buffer.tensor});
  return tensors;
}

}  // namespace fovea::models
