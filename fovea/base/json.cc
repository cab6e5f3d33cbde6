#include "fovea/base/json.h"

#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"

namespace fovea {

using nlohmann::json;

namespace {

// Builds the value while the text is read. nlohmann's own callbacks would visit every value a second time: a tokenizer.json has 100,000.
class Builder {
 public:
  Builder(std::string_view who, std::string_view source) : who_(who), source_(source) {}

  json take() { return std::move(root_); }

  bool null() { return put(nullptr); }
  bool boolean(bool x) { return put(x); }
  bool number_integer(json::number_integer_t x) { return put(x); }
  bool number_unsigned(json::number_unsigned_t x) { return put(x); }
  bool number_float(json::number_float_t x, const std::string&) { return put(x); }
  bool string(std::string& x) { return put(std::move(x)); }
  bool binary(json::binary_t&) { return false; }  // JSON has none
  bool start_object(size_t) { return open(json::object()); }
  bool start_array(size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    const auto [at, fresh] = around_.back()->get_ref<json::object_t&>().emplace(std::move(name), nullptr);
    if (!fresh) fail(who_, "{}: the key {} is there twice", source_, quote(at->first));
    member_ = &at->second;
    return true;
  }
  bool parse_error(size_t byte, const std::string&, const json::exception& error) {
    if (dynamic_cast<const json::parse_error*>(&error))
      fail(who_, "{}: no valid JSON at byte {}", source_, byte);
    fail(who_, "{}: no valid JSON: a number is too large", source_);  // beyond what a double holds
  }

 private:
  template <typename T>
  bool put(T&& value) {
    place(std::forward<T>(value));
    return true;
  }
  template <typename T>
  json* place(T&& value) {
    if (around_.empty()) {
      root_ = std::forward<T>(value);
      return &root_;
    }
    if (around_.back()->is_object()) {
      *member_ = std::forward<T>(value);
      return member_;
    }
    auto& list = around_.back()->get_ref<json::array_t&>();
    list.emplace_back(std::forward<T>(value));
    return &list.back();
  }
  bool open(json value) {
    constexpr size_t kDeepest = 32;
    if (around_.size() >= kDeepest) fail(who_, "{}: JSON nests deeper than {}", source_, kDeepest);
    around_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    around_.pop_back();
    return true;
  }

  std::string_view who_, source_;
  json root_;
  std::vector<json*> around_;  // the objects and lists that are open
  json* member_ = nullptr;     // where the value of the last key goes
};

}  // namespace

json parse_json(std::string_view text, std::string_view who, std::string_view source) {
  check(find_invalid_utf8(text) == std::string_view::npos, who, "{}: not UTF-8: expected JSON", source);
  Builder builder(who, source);
  json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

std::string text_of(const json& value, const char* key) {
  if (!value.is_object()) return "";
  const auto found = value.find(key);
  return found != value.end() && found->is_string() ? found->get<std::string>() : "";
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
