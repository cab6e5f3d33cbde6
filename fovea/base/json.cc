#include "fovea/base/json.h"

#include <set>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"

namespace fovea {

nlohmann::json parse_json(std::string_view text, std::string_view who, const std::string& source) {
  constexpr int kDeepest = 64;
  check(find_invalid_utf8(text) == std::string_view::npos, who, "{}: it is not UTF-8", source);
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  std::string twice;
  bool deep = false;
  using Event = nlohmann::json::parse_event_t;
  const auto watch = [&](int depth, Event event, nlohmann::json& parsed) {
    if (depth > kDeepest) deep = true;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end && !keys.empty()) keys.pop_back();
    if (event == Event::key && !keys.empty() && !keys.back().insert(parsed.get<std::string>()).second &&
        twice.empty())
      twice = parsed.get<std::string>();
    return !deep;
  };
  const nlohmann::json json = nlohmann::json::parse(text, watch, false);
  check(!deep, who, "{}: nested deeper than {}: no such file is meant for this", source, kDeepest);
  check(!json.is_discarded(), who, "{}: no valid JSON", source);
  check(twice.empty(), who, "{}: the key {} is there twice", source, quote(twice));
  return json;
}

}  // namespace fovea
