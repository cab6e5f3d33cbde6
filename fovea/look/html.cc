#include "fovea/look/html.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "fovea/look/colors.h"
#include "fovea/look/escape.h"
#include "fovea/look/page.h"
#include "fovea/look/telling_head.h"
#include "fovea/look/width.h"

namespace fovea::look {
namespace {

constexpr int64_t kMostExact = 4'000'000, kMostWeights = 48'000'000;

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

template <typename T, typename F>
std::string list(const T& items, F&& text) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += text(item);
  }
  return out += ']';
}

std::string labels(const std::vector<std::string>& texts) {
  return list(texts, [](const std::string& text) { return json_string(clean(text)); });
}
std::string numbers(const std::vector<int>& values) {
  return list(values, [](int value) { return std::to_string(value); });
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

std::string data_of(const Stack& stack, bool exact) {
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

// What the page's script reads.
std::string data_of(const Atlas& atlas, std::string_view view) {
  const bool exact = atlas.weights() <= kMostExact;
  std::string out = fmt::format("{{\"view\":\"{}\",\"rounded\":{},\"scale\":", view, !exact);
  out += list(kScale, [](const Color& c) { return fmt::format("[{},{},{}]", c.red, c.green, c.blue); });
  if (const auto open = telling_head(atlas))
    out += fmt::format(",\"open\":{{\"stack\":{},\"layer\":{},\"head\":{}}}", open->stack, open->layer,
                       open->head);
  out += ",\"colors\":" + list(kHeadColors, [](const Color& c) { return json_string(c.hex()); });
  return out +
         ",\"stacks\":" + list(atlas.stacks, [&](const Stack& stack) { return data_of(stack, exact); }) + "}";
}

std::string page(const Atlas& atlas, std::string_view view) {
  atlas.check();
  check(atlas.weights() <= kMostWeights, "html", "{} weights: expected {} or fewer; choose layers or heads",
        atlas.weights(), kMostWeights);
  const std::string title = atlas.title.empty() ? "Attention" : xml(atlas.title);
  std::string script;
  for (const char* part :
       {"weights.js", "state.js", "heads.js", "model.js", "map.js", "svg_context.js", "save.js", "side.js"})
    script += page_file(part);
  std::string out;
  std::string_view rest = page_file("page.html");
  for (const auto& [mark, text] : {std::pair<std::string_view, std::string>{"@TITLE@", title},
                                   {"@STYLE@", std::string(page_file("style.css"))},
                                   {"@TITLE@", title},
                                   {"@DATA@", data_of(atlas, view)},
                                   {"@SCRIPT@", script}}) {
    const size_t at = rest.find(mark);
    out += rest.substr(0, at);
    out += text;
    rest.remove_prefix(at + mark.size());
  }
  return out.append(rest);
}

}  // namespace

std::string to_html(const Atlas& atlas) { return page(atlas, atlas.is_one_head() ? "map" : "heads"); }

std::string to_html(const Map& map) { return page({map.title, {stack_of(map)}}, "map"); }

}  // namespace fovea::look
