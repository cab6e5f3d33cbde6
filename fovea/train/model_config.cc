#include "fovea/train/model_config.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace fovea::train {

nlohmann::json model_config(const Settings& settings, int64_t source_vocab, int64_t target_vocab) {
  nlohmann::json config = {
      {"model_type", settings.model}, {"source_vocab", source_vocab}, {"target_vocab", target_vocab}};
  const nlohmann::json all = to_json(settings);
  for (const Setting& setting : settings_table()) {
    std::string key = setting.key;
    if (!std::string_view(setting.group).starts_with("Model") || key == "model") continue;
    if (!is_about(setting, settings.model)) continue;
    std::replace(key.begin(), key.end(), '-', '_');
    config[key] = all.at(setting.key);
  }
  return config;
}

}  // namespace fovea::train
