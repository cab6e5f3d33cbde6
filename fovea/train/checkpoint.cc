#include "fovea/train/checkpoint.h"

#include <filesystem>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/json.h"
#include "fovea/base/staged_directory.h"
#include "fovea/models/old_names.h"

namespace fovea::train {
namespace {

constexpr const char *kWeights = "model.safetensors", *kOptimizer = "optimizer.safetensors",
                     *kState = "state.json";

void add_tensors(StagedDirectory& directory, const char* name, const std::vector<NamedTensor>& tensors) {
  directory.add(name, [&](const ByteSink& sink) { write_safetensors(sink, name, tensors); });
}

}  // namespace

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  try {
    StagedDirectory directory(path, "checkpoint");
    for (const auto& [name, bytes] : checkpoint.files) directory.add(name, bytes);
    add_tensors(directory, kWeights, checkpoint.weights);
    if (checkpoint.state) {
      add_tensors(directory, kOptimizer, checkpoint.optimizer);
      directory.add(kState, to_json(*checkpoint.state).dump(1) + "\n");
    }
    directory.commit();
  } catch (const Error& error) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) throw;
    throw Error(fmt::format("{}; {} is as it was saved before", error.what(), path));
  }
}

bool find_checkpoint(const std::string& path) {
  recover_directory(path, "checkpoint");
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return false;
  verify_directory(path, "checkpoint");
  return true;
}

RunState load_state(const std::string& path) {
  const std::string file = path + "/" + kState;
  const nlohmann::json json = parse_json(read_file(file, 1 << 24, "checkpoint"), "checkpoint", file);
  check(json.is_object(), "checkpoint", "{}: no JSON object", file);
  return state_from(json, file);
}

std::vector<NamedTensor> load_optimizer(const std::string& path) {
  const Safetensors file = Safetensors::open(path + "/" + kOptimizer);
  std::vector<NamedTensor> tensors;
  for (const auto& entry : file.entries())
    tensors.push_back({models::current_name(entry.name), file.read(entry.name)});
  return tensors;
}

}  // namespace fovea::train
