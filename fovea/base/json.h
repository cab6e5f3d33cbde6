// JSON from files that anybody may have written.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace fovea {

// Throws [who] SOURCE: ... for what is no JSON, is nested deeper than 32, or has a key twice in one object.
nlohmann::json parse_json(std::string_view text, std::string_view who, std::string_view source);

// The text at a key; "" where `value` is no object, has no such key, or another kind of value there.
std::string text_of(const nlohmann::json& value, const char* key);

// The object of one line of a log; nothing where the line is none, as one that a kill cut off.
std::optional<nlohmann::json> parse_json_line(std::string_view line);

}  // namespace fovea
