#include "fovea/models/layouts/generation_config.h"

#include <algorithm>
#include <filesystem>

#include "fovea/base/file.h"
#include "fovea/base/json.h"
#include "fovea/models/hf_config.h"

namespace fovea::models {

void add_generation_ends(nlohmann::json& config, const std::string& dir, const WeightFiles&) {
  constexpr size_t kMost = 1 << 20;
  const std::string path = dir + "/generation_config.json";
  if (!std::filesystem::is_regular_file(path)) return;
  const nlohmann::json more = parse_json(read_file(path, kMost, "model"), "model", path);
  check(more.is_object(), "model", "{}: no valid JSON object", path);
  std::vector<int32_t> ends = HfConfig(config, "model").ids("eos_token_id");
  for (const int32_t id : HfConfig(more, "model").ids("eos_token_id"))
    if (std::ranges::find(ends, id) == ends.end()) ends.push_back(id);
  if (!ends.empty()) config["eos_token_id"] = ends;
}

}  // namespace fovea::models
