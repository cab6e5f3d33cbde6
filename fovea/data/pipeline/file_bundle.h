// Several files as one: a JSON object of names and contents, text as it is, {"base64": "..."} for what is no UTF-8.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace fovea::data {

using NamedFiles = std::map<std::string, std::string>;

std::string from_base64(std::string_view text, std::string_view source);
std::string bundle(const NamedFiles& files);
// Throws [tokenizer] SOURCE: ... for what bundle() cannot have written.
NamedFiles unbundle(std::string_view bytes, std::string_view source);

}  // namespace fovea::data
