#include "fovea/data/pipeline/file_bundle.h"

#include "fovea/base/error.h"
#include "fovea/base/json.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"
#include "fovea/data/pipeline/checked_json.h"

namespace fovea::data {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? kDigits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string from_base64(std::string_view text, std::string_view source) {
  std::string bytes;
  uint32_t held = 0;
  int bits = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    check(digit != std::string_view::npos, "tokenizer", "{}: {} is no digit of base64", source,
          quote({&c, 1}));
    held = held << 6 | static_cast<uint32_t>(digit);
    if ((bits += 6) < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xFF);
  }
  return bytes;
}

std::string bundle(const NamedFiles& files) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, bytes] : files) {
    if (find_invalid_utf8(bytes) == std::string_view::npos)
      object[name] = bytes;
    else
      object[name] = {{"base64", to_base64(bytes)}};
  }
  return object.dump(1) + "\n";
}

NamedFiles unbundle(std::string_view bytes, std::string_view source) {
  const nlohmann::json object = parse_json(bytes, "tokenizer", source);
  check(object.is_object(), "tokenizer", "{}: {}: expected an object of files", source, object.type_name());
  NamedFiles files;
  for (const auto& [name, content] : object.items())
    files[name] = content.is_object() ? from_base64(text_of(content, "base64", "", source), source)
                                      : text_of(object, name.c_str(), "", source);
  return files;
}

}  // namespace fovea::data
