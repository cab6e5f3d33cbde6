// Reading a config.json that Hugging Face wrote: it has many keys that say nothing of the numbers a model computes, and some that do.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"

namespace fovea::models {

class HfConfig {
 public:
  HfConfig(const nlohmann::json& config, std::string_view who) : config_(config), who_(who) {
    check(config.is_object(), who, "a config that is no object: expected {{\"model_type\": \"{}\", ...}}",
          who);
  }

  bool has(const char* key) const { return config_.contains(key) && !config_[key].is_null(); }

  // The value of `key`, or `value` where it is missing or null.
  int64_t number(const char* key, int64_t value) const {
    if (!has(key)) return value;
    const auto& found = config_[key];
    if (!found.is_number_integer() ||
        (found.is_number_unsigned() && found.get<uint64_t>() > (uint64_t{1} << 60)))
      fail(who_, "config: {} is {}: expected a whole number", key, quote(found.dump()));
    return found.get<int64_t>();
  }
  double real(const char* key, double value) const {
    if (!has(key)) return value;
    check(config_[key].is_number(), who_, "config: {} is {}: expected a number", key,
          quote(config_[key].dump()));
    return config_[key].get<double>();
  }
  bool flag(const char* key, bool value) const {
    if (!has(key)) return value;
    check(config_[key].is_boolean(), who_, "config: {} is {}: expected true or false", key,
          quote(config_[key].dump()));
    return config_[key].get<bool>();
  }
  std::string text(const char* key, const std::string& value) const {
    if (!has(key)) return value;
    check(config_[key].is_string(), who_, "config: {} is {}: expected a name", key,
          quote(config_[key].dump()));
    return config_[key].get<std::string>();
  }
  // An id, or the first of several; -1 where there is none.
  int32_t id(const char* key) const;
  // One id, several, or none.
  std::vector<int32_t> ids(const char* key) const;
  // Throws unless every id of a special token, whoever uses it, is one of a vocabulary of so many. -1 for padding means that there is none.
  void check_ids(int64_t vocab) const;
  // Throws where `key` is there and not `value`: nothing here computes anything else.
  void only(const char* key, const nlohmann::json& value) const {
    check(!has(key) || config_[key] == value, who_, "config: {} is {}: only {} is possible here", key,
          quote(config_.value(key, nlohmann::json()).dump()), value.dump());
  }
  const nlohmann::json& json() const { return config_; }
  std::string_view who() const { return who_; }

 private:
  const nlohmann::json& config_;
  std::string_view who_;
};

// Names of activations, theirs and ours: "gelu_new" is "gelu_tanh", "swish" is "silu". Throws for one that is not known.
std::string activation_from_hf(const std::string& name);
std::string activation_to_hf(const std::string& name);

}  // namespace fovea::models
