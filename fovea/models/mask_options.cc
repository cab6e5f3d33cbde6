#include "fovea/models/mask_options.h"

#include <nlohmann/json.hpp>

#include "fovea/base/quote.h"

namespace fovea::models {
namespace {

// Adds "window:8" to the mask of the config, in place of `key`.
void add_window(nlohmann::json& config, const char* key, const char* mask, std::string_view kind) {
  const auto found = config.find(key);
  if (found == config.end()) return;
  check(found->is_number_unsigned() || (found->is_number_integer() && found->get<int64_t>() >= 0), "mask",
        "config: {} is {}: expected a whole number of 0 or more", key, quote(found->dump()));
  const std::string reach = found->dump();
  config.erase(key);
  if (kind == "none" || (kind == "window" && reach == "0")) return;
  const nlohmann::json before = config.value(mask, nlohmann::json("none"));
  check(before.is_string(), "mask", "config: {} is {}: expected a name in quotes", mask,
        quote(before.dump()));
  const std::string term = fmt::format("{}:{}", kind, reach);
  config[mask] = before == "none" || before == "" ? term : before.get<std::string>() + "+" + term;
}

}  // namespace

void check_mask(const std::string& text, nn::Place place) { nn::MaskSpec(text).check_at(place); }

nlohmann::json with_named_masks(nlohmann::json config) {
  if (!config.is_object()) return config;
  add_window(config, "enc_window", "enc_mask", "window");
  add_window(config, "dec_window", "dec_mask", "window");
  if (const auto local = config.find("local"); local != config.end()) {
    check(*local == "none" || *local == "local-m" || *local == "local-p", "mask",
          "config: local is {}: expected none, local-m or local-p", quote(local->dump()));
    const std::string kind = *local;
    config.erase("local");
    if (!config.contains("window")) config["window"] = 4;
    add_window(config, "window", "cross_mask", kind);
  }
  return config;
}

nlohmann::json with_mask(nlohmann::json config, const char* key, const std::string& mask) {
  if (nn::MaskSpec(mask).empty()) return config;
  config["model_type"] = std::string(kOwnType) + config["model_type"].get<std::string>();
  config.erase("architectures");
  config[key] = mask;
  return config;
}

bool is_of_mask(std::string_view parameter) {
  for (const nn::MaskKind& kind : nn::mask_table())
    if (kind.arrays)
      for (const nn::MaskArray& array : kind.arrays({2, 2}, {.heads = 1, .width = 1}))
        if (parameter.ends_with("." + std::string(array.name))) return true;
  return false;
}

}  // namespace fovea::models
