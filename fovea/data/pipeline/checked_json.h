// What a tokenizer's JSON (base/json.h) says, asked with messages that name the file: [tokenizer] SOURCE: ...
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace fovea::data {

// The value of a key; `otherwise` where there is none, or null. Throws for a value of another kind.
bool flag_of(const nlohmann::json& object, const char* key, bool otherwise, std::string_view source);
std::string text_of(const nlohmann::json& object, const char* key, std::string_view otherwise,
                    std::string_view source);
int64_t number_of(const nlohmann::json& object, const char* key, int64_t otherwise, int64_t most,
                  std::string_view source);
// A value as a whole number from 0 to most; -1: it is none.
int64_t index_of(const nlohmann::json& value, int64_t most);
// The "type" of a step of a tokenizer.json.
std::string type_of(const nlohmann::json& object, std::string_view what, std::string_view source);
// The list under a key. Throws where there is none.
const nlohmann::json& list_of(const nlohmann::json& object, const char* key, std::string_view source);
// The value of a key; a null where there is none.
const nlohmann::json& value_of(const nlohmann::json& object, const char* key);

}  // namespace fovea::data
