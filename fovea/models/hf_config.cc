#include "fovea/models/hf_config.h"

#include "fovea/nn/feed_forward.h"

namespace fovea::models {
namespace {

struct Names {
  std::string_view theirs, ours;
};
constexpr Names kNames[] = {{"gelu_new", "gelu_tanh"},
                            {"gelu_pytorch_tanh", "gelu_tanh"},
                            {"gelu_fast", "gelu_tanh"},
                            {"swish", "silu"}};

}  // namespace

std::string activation_from_hf(const std::string& name) {
  for (const Names& names : kNames)
    if (names.theirs == name) return std::string(names.ours);
  nn::activation_named(name);
  return name;
}

std::string activation_to_hf(const std::string& name) { return name == "gelu_tanh" ? "gelu_new" : name; }

}  // namespace fovea::models
