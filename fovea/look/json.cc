#include "fovea/look/json.h"

#include "fovea/base/error.h"
#include "fovea/look/escape.h"

namespace fovea::look {
namespace {

// "[f(0),f(1),...]"
template <typename F>
std::string json_items(int64_t n, F&& f) {
  std::string out = "[";
  for (int64_t i = 0; i < n; ++i) {
    if (i) out += ',';
    out += f(i);
  }
  out += ']';
  return out;
}

std::string json_labels(const std::vector<std::string>& texts) {
  return json_items(static_cast<int64_t>(texts.size()),
                    [&](int64_t i) { return json_string(texts[static_cast<size_t>(i)]); });
}

// Values of a shape, in nested lists; `value` has the text of the i-th.
template <typename F>
std::string nested(const std::vector<int64_t>& shape, F&& value, size_t axis = 0, int64_t first = 0) {
  if (axis == shape.size()) return value(first);
  return json_items(shape[axis],
                    [&](int64_t i) { return nested(shape, value, axis + 1, first * shape[axis] + i); });
}

// What maps and stacks have in common: from their weights on.
std::string values(const Tensor& weights, const std::vector<int>& chosen) {
  std::vector<int64_t> shape;
  for (int axis = 0; axis < weights.rank(); ++axis) shape.push_back(weights.dim(axis));
  const float* w = weights.data<float>();
  std::string out = ",\"shape\":" + nested({weights.rank()}, [&](int64_t i) {
                      return std::to_string(shape[static_cast<size_t>(i)]);
                    });
  out += ",\"weights\":" + nested(shape, [&](int64_t i) { return fmt::format("{}", w[i]); });
  if (chosen.empty()) return out;
  shape.pop_back();
  if (shape.size() == 1) shape.insert(shape.begin(), 1);
  return out + ",\"chosen\":" + nested(shape, [&](int64_t i) {
           return std::to_string(chosen[static_cast<size_t>(i)]);
         });
}

// Names and labels of a map or a stack.
template <typename T>
std::string names(const T& shown) {
  return "\"row_name\":" + json_string(shown.row_name) +
         ",\"column_name\":" + json_string(shown.column_name) + ",\"rows\":" + json_labels(shown.rows) +
         ",\"columns\":" + json_labels(shown.columns);
}

std::string json_of(const Stack& stack) {
  std::string out = "{\"name\":" + json_string(stack.name) + "," + names(stack);
  out += ",\"layers\":" + json_items(stack.depth(), [&](int64_t i) {
           return std::to_string(stack.layer_number(static_cast<int>(i)));
         });
  out += ",\"heads\":" + json_items(stack.breadth(), [&](int64_t i) {
           return std::to_string(stack.head_number(static_cast<int>(i)));
         });
  if (stack.row >= 0) out += fmt::format(",\"row\":{}", stack.row);
  return out + values(stack.weights, stack.chosen) + "}";
}

// ,"attentions":[...]
std::string attentions(const Atlas& atlas) {
  constexpr int64_t kMostWeights = 48'000'000;
  check(atlas.weights() <= kMostWeights, "json", "{} weights: expected {} or fewer; choose layers or heads",
        atlas.weights(), kMostWeights);
  return ",\"attentions\":" + json_items(static_cast<int64_t>(atlas.stacks.size()), [&](int64_t i) {
           return json_of(atlas.stacks[static_cast<size_t>(i)]);
         });
}

}  // namespace

std::string to_json(const Map& map) {
  map.check();
  return "{\"title\":" + json_string(map.title) + "," + names(map) + values(map.weights, map.chosen) + "}\n";
}

std::string to_json(const Atlas& atlas) {
  atlas.check();
  return "{\"title\":" + json_string(atlas.title) + attentions(atlas) + "}\n";
}

std::string to_json(const PictureMap& map, bool with_picture) {
  map.check();
  std::string out = "{\"title\":" + json_string(map.atlas.title);
  if (with_picture) out += ",\"picture\":\"" + data_uri(map.picture, 1024) + "\"";
  return out + fmt::format(",\"grid\":[{},{}]", map.grid_height, map.grid_width) + attentions(map.atlas) +
         "}\n";
}

}  // namespace fovea::look
