#include "fovea/look/html_page.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "fovea/base/error.h"
#include "fovea/look/base64.h"
#include "fovea/look/colors.h"
#include "fovea/look/escape.h"
#include "fovea/look/page.h"
#include "fovea/look/width.h"

namespace fovea::look {
namespace {

std::string labels(const std::vector<std::string>& texts) {
  return json_list(texts, [](const std::string& text) { return json_string(clean(text)); });
}
std::string numbers(const std::vector<int>& values) {
  return json_list(values, [](int value) { return std::to_string(value); });
}

// w as the byte b for (b / 255)^2: small weights, of which there are most, are told apart better than large ones.
std::vector<std::byte> rounded(std::span<const float> weights) {
  std::vector<std::byte> bytes;
  bytes.reserve(weights.size());
  for (const float w : weights) {
    const float root = std::round(std::sqrt(std::min(w, 1.0f)) * 255);
    bytes.push_back(static_cast<std::byte>(w > 0 ? std::max(root, 1.0f) : 0));
  }
  return bytes;
}

std::string encoded(const Tensor& weights, bool exact) {
  if (exact) return base64(weights.bytes_data(), static_cast<size_t>(weights.bytes()));
  const std::vector<std::byte> bytes = rounded(weights.span<float>());
  return base64(bytes.data(), bytes.size());
}

}  // namespace

std::string stack_data(const Stack& stack, bool exact) {
  std::vector<int> layers, heads;
  for (int i = 0; i < stack.depth(); ++i) layers.push_back(stack.layer_number(i));
  for (int i = 0; i < stack.breadth(); ++i) heads.push_back(stack.head_number(i));
  std::string out = "{\"name\":" + json_string(clean(stack.name));
  out += ",\"rows\":" + labels(stack.rows) + ",\"columns\":" + labels(stack.columns);
  out += ",\"rowName\":" + json_string(clean(stack.row_name)) +
         ",\"columnName\":" + json_string(clean(stack.column_name));
  out += ",\"layers\":" + numbers(layers) + ",\"heads\":" + numbers(heads);
  out += fmt::format(",\"row\":{},\"chosen\":", stack.row) + numbers(stack.chosen);
  return out + ",\"weights\":\"" + encoded(stack.weights, exact) + "\"}";
}

std::string color_data() {
  return ",\"scale\":" +
         json_list(kScale, [](const Color& c) { return fmt::format("[{},{},{}]", c.red, c.green, c.blue); }) +
         ",\"colors\":" + json_list(kHeadColors, [](const Color& c) { return json_string(c.hex()); });
}

void check_page_weights(int64_t weights) {
  check(weights <= kMostWeights, "html", "{} weights: expected {} or fewer; choose layers or heads", weights,
        kMostWeights);
}

std::string filled_page(std::string_view frame, std::string_view title,
                        std::initializer_list<std::string_view> styles, std::string_view data,
                        std::initializer_list<std::string_view> scripts) {
  std::string style, script;
  for (const std::string_view name : styles) style += page_file(name);
  for (const std::string_view name : scripts) script += page_file(name);
  std::string out;
  std::string_view rest = page_file(frame);
  for (const auto& [mark, text] : {std::pair<std::string_view, std::string_view>{"@TITLE@", title},
                                   {"@STYLE@", style},
                                   {"@TITLE@", title},
                                   {"@DATA@", data},
                                   {"@SCRIPT@", script}}) {
    const size_t at = rest.find(mark);
    out += rest.substr(0, at);
    out += text;
    rest.remove_prefix(at + mark.size());
  }
  return out.append(rest);
}

}  // namespace fovea::look
