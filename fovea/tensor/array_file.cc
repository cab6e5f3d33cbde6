#include "fovea/tensor/array_file.h"

#include "fovea/tensor/npy.h"
#include "fovea/tensor/safetensors.h"

namespace fovea {

Tensor read_array(const std::string& spec) {
  constexpr std::string_view kEnding = ".safetensors";
  if (spec.ends_with(kEnding)) {
    const Safetensors file = Safetensors::open(spec);
    const auto& entries = file.entries();
    check(!entries.empty(), "array", "{}: holds no tensor", spec);
    check(entries.size() == 1, "array", "{}: holds {} tensors: name one, as {}:{}", spec, entries.size(),
          spec, entries[0].name);
    return file.read(entries[0].name);
  }
  const size_t colon = spec.find(std::string(kEnding) + ":");
  if (colon == std::string::npos) return read_npy(spec);
  const size_t end = colon + kEnding.size();
  return Safetensors::open(spec.substr(0, end)).read(spec.substr(end + 1));
}

}  // namespace fovea
