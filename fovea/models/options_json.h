// The options of a model and config.json. What reads and what writes agree by construction: both go through
//   template <typename Self, typename F> static void Options::each(Self& options, F&& f)      // f(key, member)
// A member of the type int32_t is the id of a token, -1 for none.
#pragma once

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"

namespace fovea::models {

namespace detail {

// Whether a value of config.json can become an option of type T, and what is expected where not.
template <typename T>
std::pair<bool, const char*> fits(const nlohmann::json& value) {
  if constexpr (std::is_same_v<T, std::string>) return {value.is_string(), "a name in quotes"};
  if constexpr (std::is_same_v<T, std::vector<std::string>>)
    return {value.is_array() && std::ranges::all_of(value, [](const auto& one) { return one.is_string(); }),
            "a list of names in quotes"};
  if constexpr (std::is_same_v<T, std::vector<double>>)
    return {value.is_array() && std::ranges::all_of(value, [](const auto& one) { return one.is_number(); }),
            "a list of numbers"};
  if constexpr (std::is_same_v<T, bool>) return {value.is_boolean(), "true or false"};
  if constexpr (std::is_same_v<T, double>) return {value.is_number(), "a number"};
  if constexpr (std::is_same_v<T, int32_t>) {  // the id of a token
    const bool id = value.is_number_unsigned()
                        ? value.get<uint64_t>() <= std::numeric_limits<int32_t>::max()
                        : value.is_number_integer() && value.get<int64_t>() >= 0 &&
                              value.get<int64_t>() <= std::numeric_limits<int32_t>::max();
    return {value.is_null() || id, "the id of a token, or null"};
  }
  const bool small =
      !value.is_number_unsigned() || value.get<uint64_t>() <= std::numeric_limits<int64_t>::max();
  return {value.is_number_integer() && small, "a whole number"};
}

}  // namespace detail

template <typename Options>
nlohmann::json options_to_json(const Options& options, const char* model_type) {
  nlohmann::json json = {{"model_type", model_type}};
  Options::each(options, [&](const char* key, const auto& value) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, int32_t>)
      json[key] = value < 0 ? nlohmann::json() : nlohmann::json(value);
    else
      json[key] = value;
  });
  return json;
}

// Keys that are missing keep their defaults; unknown ones throw. "model_type" and "tokenizer" are not looked at.
template <typename Options>
Options options_from_json(const nlohmann::json& config, std::string_view model_type) {
  check(config.is_object(), model_type,
        "a config that is no object: expected {{\"model_type\": \"{}\", ...}}", model_type);
  Options options;
  std::vector<std::string> known = {"model_type", "tokenizer"};
  Options::each(options, [&](const char* key, auto& value) {
    known.emplace_back(key);
    const auto found = config.find(key);
    if (found == config.end()) return;
    using T = std::remove_reference_t<decltype(value)>;
    const auto [fit, expected] = detail::fits<T>(*found);
    check(fit, model_type, "config: {} is {}: expected {}", key, quote(found->dump()), expected);
    if constexpr (std::is_same_v<T, int32_t>)
      value = found->is_null() ? -1 : found->template get<T>();
    else
      value = found->template get<T>();
  });
  for (const auto& [key, value] : config.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail(model_type, "config: unknown key {}: did you mean '{}'?", quote(key),
           nearest(key, known, 1).front());
  return options;
}

// Throws where `value` is not one of `names`, and names the nearest.
inline void expect_one_of(std::string_view who, const char* what, const std::string& value,
                          const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), value) != names.end()) return;
  fail(who, "there is no {} {}: did you mean '{}'?", what, quote(value), nearest(value, names, 1).front());
}

}  // namespace fovea::models
