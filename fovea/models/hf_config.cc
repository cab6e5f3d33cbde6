#include "fovea/models/hf_config.h"

#include <nlohmann/json.hpp>

#include "fovea/base/grouped.h"
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

constexpr const char* kIdKeys[] = {
    "bos_token_id", "eos_token_id",  "pad_token_id",           "unk_token_id",        "sep_token_id",
    "cls_token_id", "mask_token_id", "decoder_start_token_id", "forced_bos_token_id", "forced_eos_token_id"};

bool is_id(const nlohmann::json& value, int64_t least) {
  if (value.is_number_unsigned()) return value.get<uint64_t>() <= INT32_MAX;
  return value.is_number_integer() && value.get<int64_t>() >= least && value.get<int64_t>() <= INT32_MAX;
}

}  // namespace

int32_t HfConfig::id(const char* key) const {
  if (!has(key)) return -1;
  const auto& found = config_[key].is_array() && !config_[key].empty() ? config_[key][0] : config_[key];
  check(is_id(found, -1), who_, "config: {} is {}: expected an id", key, quote(config_[key].dump()));
  return found.get<int32_t>();
}

std::vector<int32_t> HfConfig::ids(const char* key) const {
  std::vector<int32_t> all;
  if (!has(key)) return all;
  const nlohmann::json list = config_[key].is_array() ? config_[key] : nlohmann::json::array({config_[key]});
  for (const auto& found : list) {
    check(is_id(found, 0), who_, "config: {} is {}: expected ids", key, quote(config_[key].dump()));
    all.push_back(found.get<int32_t>());
  }
  return all;
}

void HfConfig::check_ids(int64_t vocab) const {
  for (const char* key : kIdKeys) {
    if (!has(key)) continue;
    const nlohmann::json list =
        config_[key].is_array() ? config_[key] : nlohmann::json::array({config_[key]});
    const int64_t least = key == std::string_view("pad_token_id") ? -1 : 0;
    for (const auto& id : list)
      check(is_id(id, least) && id.get<int64_t>() < vocab, who_,
            "config: {} is {}: expected an id of a vocabulary of {}", key, quote(config_[key].dump()),
            grouped(vocab));
  }
}

std::string activation_from_hf(const std::string& name) {
  for (const Names& names : kNames)
    if (names.theirs == name) return std::string(names.ours);
  nn::activation_named(name);
  return name;
}

std::string activation_to_hf(const std::string& name) { return name == "gelu_tanh" ? "gelu_new" : name; }

}  // namespace fovea::models
