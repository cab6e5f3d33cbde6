#include "fovea/look/html.h"

#include <cstring>

#include "fovea/look/colors.h"
#include "fovea/look/escape.h"
#include "fovea/look/html_page.h"
#include "fovea/look/width.h"

namespace fovea::look {
namespace {

constexpr int64_t kMaxWeights = int64_t{1} << 24;

std::string base64(const std::byte* bytes, size_t n) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((n + 2) / 3 * 4);
  for (size_t i = 0; i < n; i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j)
      group = group << 8 | (i + j < n ? std::to_integer<uint32_t>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) out += i + j > n ? '=' : kDigits[group >> (18 - 6 * j) & 63];
  }
  return out;
}

std::string labels(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ',';
    out += json_string(clean(text));
  }
  return out += ']';
}

// What the page's script reads. Weights are little-endian f32 in base64: exact, and small.
std::string data_of(const Map& map) {
  std::string out = "{\"rows\":" + labels(map.rows) + ",\"columns\":" + labels(map.columns);
  out += ",\"rowName\":" + json_string(clean(map.row_name)) +
         ",\"columnName\":" + json_string(clean(map.column_name));
  out += fmt::format(",\"heads\":{},\"chosen\":[", map.heads());
  for (size_t i = 0; i < map.chosen.size(); ++i) out += fmt::format("{}{}", i ? "," : "", map.chosen[i]);
  out += "],\"scale\":[";
  for (size_t i = 0; i < kScale.size(); ++i)
    out += fmt::format("{}[{},{},{}]", i ? "," : "", kScale[i].red, kScale[i].green, kScale[i].blue);
  out +=
      "],\"weights\":\"" + base64(map.weights.bytes_data(), static_cast<size_t>(map.weights.bytes())) + "\"}";
  return out;
}

}  // namespace

std::string to_html(const Map& map) {
  map.check();
  check(map.weights.size() <= kMaxWeights, "html", "{} weights: expected {} or fewer; choose fewer heads",
        map.weights.size(), kMaxWeights);
  const std::string title = map.title.empty() ? "Attention" : xml(map.title);
  std::string out;
  std::string_view rest = kPage;
  for (const auto& [mark, text] : {std::pair<std::string_view, std::string>{"@TITLE@", title},
                                   {"@TITLE@", title},
                                   {"@DATA@", data_of(map)}}) {
    const size_t at = rest.find(mark);
    out += rest.substr(0, at);
    out += text;
    rest.remove_prefix(at + mark.size());
  }
  return out.append(rest);
}

}  // namespace fovea::look
