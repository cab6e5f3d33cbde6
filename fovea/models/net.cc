#include "fovea/models/net.h"

namespace fovea::models {

std::vector<Stored> Net::stored() {
  std::vector<Stored> tensors;
  for (const nn::Parameter* parameter : parameters()) tensors.push_back({parameter->name, parameter->value});
  for (const NamedTensor& buffer : buffers()) tensors.push_back({buffer.name, buffer.tensor});
  return tensors;
}

}  // namespace fovea::models
