#include "fovea/look/escape.h"

#include <nlohmann/json.hpp>

#include "fovea/look/width.h"

namespace fovea::look {

std::string xml(std::string_view text) {
  std::string out;
  for (char c : clean(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string json_string(std::string_view text) {
  const std::string plain =
      nlohmann::json(std::string(text)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string out;
  for (char c : plain) c == '<' ? out += "\\u003c" : out += c;
  return out;
}

}  // namespace fovea::look
