#include "fovea/look/json.h"

#include "fovea/look/escape.h"

namespace fovea::look {
namespace {

// "[f(0),f(1),...]"
template <typename F>
std::string list(int64_t n, F&& f) {
  std::string out = "[";
  for (int64_t i = 0; i < n; ++i) {
    if (i) out += ',';
    out += f(i);
  }
  out += ']';
  return out;
}

std::string labels(const std::vector<std::string>& texts) {
  return list(static_cast<int64_t>(texts.size()),
              [&](int64_t i) { return json_string(texts[static_cast<size_t>(i)]); });
}

}  // namespace

std::string to_json(const Map& map) {
  map.check();
  const float* w = map.weights.data<float>();
  const int64_t t = map.height(), s = map.breadth();
  const auto matrix = [&](int64_t head) {
    return list(t, [&](int64_t row) {
      return list(s, [&](int64_t column) { return fmt::format("{}", w[(head * t + row) * s + column]); });
    });
  };
  std::string out = "{\"title\":" + json_string(map.title);
  out += ",\"row_name\":" + json_string(map.row_name) + ",\"column_name\":" + json_string(map.column_name);
  out += ",\"rows\":" + labels(map.rows) + ",\"columns\":" + labels(map.columns);
  const Shape& shape = map.weights.shape();
  out += ",\"shape\":" +
         list(shape.rank(), [&](int64_t axis) { return std::to_string(shape[static_cast<int>(axis)]); });
  out += ",\"weights\":" + (map.weights.rank() == 3 ? list(map.heads(), matrix) : matrix(0));
  if (!map.chosen.empty())
    out += ",\"chosen\":" + list(map.heads(), [&](int64_t head) {
             return list(t, [&](int64_t row) {
               return std::to_string(map.chosen[static_cast<size_t>(head * t + row)]);
             });
           });
  return out + "}\n";
}

}  // namespace fovea::look
