// JSON from files that anybody may have written.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace fovea {

// Throws [who] SOURCE: ... for what is no JSON, is nested deeper than 32, or has a key twice in one object.
nlohmann::json parse_json(std::string_view text, std::string_view who, std::string_view source);

}  // namespace fovea
