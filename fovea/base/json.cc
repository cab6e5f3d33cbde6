#include "fovea/base/json.h"

#include <unordered_set>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"

namespace fovea {

using nlohmann::json;

json parse_json(std::string_view text, std::string_view who, std::string_view source) {
  constexpr int kDeepest = 32;
  check(find_invalid_utf8(text) == std::string_view::npos, who, "{}: not UTF-8: expected JSON", source);
  std::vector<std::unordered_set<std::string>> keys;  // of the objects around
  const auto follow = [&](int depth, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start) {
      if (depth >= kDeepest) fail(who, "{}: JSON nests deeper than {}", source, kDeepest);
      if (event == json::parse_event_t::object_start) keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) fail(who, "{}: the key {} is there twice", source, quote(key));
    }
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), follow);
  } catch (const json::parse_error& error) {
    fail(who, "{}: no valid JSON at byte {}", source, error.byte);
  } catch (const json::exception&) {  // a number beyond what a double holds
    fail(who, "{}: no valid JSON: a number is too large", source);
  }
}

std::optional<json> parse_json_line(std::string_view line) {
  try {
    json object = parse_json(line, "json", "line");
    if (object.is_object()) return object;
  } catch (const Error&) {
  }
  return std::nullopt;
}

}  // namespace fovea
