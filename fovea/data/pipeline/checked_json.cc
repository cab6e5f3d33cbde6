#include "fovea/data/pipeline/checked_json.h"

#include "fovea/base/error.h"
#include "fovea/base/quote.h"

namespace fovea::data {
namespace {

using nlohmann::json;

void check_object(const json& object, std::string_view source) {
  check(object.is_object(), "tokenizer", "{}: met {} where an object was expected", source,
        object.type_name());
}

}  // namespace

const json& value_of(const json& object, const char* key) {
  static const json kNull;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : kNull;
}

bool flag_of(const json& object, const char* key, bool otherwise, std::string_view source) {
  check_object(object, source);
  const json& value = value_of(object, key);
  if (value.is_null()) return otherwise;
  check(value.is_boolean(), "tokenizer", "{}: {} is {}: expected true or false", source, key,
        value.type_name());
  return value.get<bool>();
}

std::string text_of(const json& object, const char* key, std::string_view otherwise,
                    std::string_view source) {
  check_object(object, source);
  const json& value = value_of(object, key);
  if (value.is_null()) return std::string(otherwise);
  check(value.is_string(), "tokenizer", "{}: {} is {}: expected a string", source, key, value.type_name());
  return value.get<std::string>();
}

int64_t number_of(const json& object, const char* key, int64_t otherwise, int64_t most,
                  std::string_view source) {
  check_object(object, source);
  const json& value = value_of(object, key);
  if (value.is_null()) return otherwise;
  const int64_t number = index_of(value, most);
  check(number >= 0, "tokenizer", "{}: {} is {}: expected a number from 0 to {}", source, key,
        quote(value.is_number() ? value.dump() : value.type_name()), most);
  return number;
}

int64_t index_of(const json& value, int64_t most) {
  if (!value.is_number_integer()) return -1;
  if (value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(most)) return -1;
  const auto number = value.get<int64_t>();
  return number >= 0 && number <= most ? number : -1;
}

std::string type_of(const json& object, std::string_view what, std::string_view source) {
  check(value_of(object, "type").is_string(), "tokenizer", "{}: the {} has no type", source, what);
  return value_of(object, "type").get<std::string>();
}

const json& list_of(const json& object, const char* key, std::string_view source) {
  const json& value = value_of(object, key);
  check(value.is_array(), "tokenizer", "{}: {} is {}: expected a list", source, key, value.type_name());
  return value;
}

}  // namespace fovea::data
