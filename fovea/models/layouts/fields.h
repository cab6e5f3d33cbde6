// The keys of Hugging Face's config.json. A layout lists them once, in a function template `fields(f, options)`: with a FieldReader f it reads
// them, with a FieldWriter it writes them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fovea/models/hf_config.h"

namespace fovea::models {

class FieldReader {
 public:
  explicit FieldReader(const HfConfig& config) : config_(config) {}
  static constexpr bool kReads = true;

  // The value of a key, or `otherwise` where it is missing or null.
  void operator()(const char* key, int64_t& x, int64_t otherwise) { x = config_.number(key, otherwise); }
  void operator()(const char* key, double& x, double otherwise) { x = config_.real(key, otherwise); }
  void operator()(const char* key, bool& x, bool otherwise) { x = config_.flag(key, otherwise); }
  void operator()(const char* key, std::string& x, const char* otherwise) {
    x = config_.text(key, otherwise);
  }
  // A number that is 0 where the key is null.
  void or_null(const char* key, int64_t& x) { x = config_.number(key, 0); }
  // A number of the decoder, 0 where it is the encoder's.
  void decoder(const char* key, int64_t& x, int64_t encoder, int64_t otherwise) {
    x = config_.number(key, otherwise);
    check(x >= 1, "model", "config: {} is {}: expected 1 or more", key, x);
    if (x == encoder) x = 0;
  }
  void activation(const char* key, std::string& x, const char* otherwise) {
    x = activation_from_hf(config_.text(key, otherwise));
  }
  // An id, or the first of several; -1 where there is none. Several, or none.
  void id(const char* key, int32_t& x) { x = config_.id(key); }
  void ids(const char* key, std::vector<int32_t>& x) { x = config_.ids(key); }
  // Nothing here computes anything else: other values throw.
  void only(const char* key, const nlohmann::json& value) { config_.only(key, value); }
  // For others to read.
  void write(const char*, const nlohmann::json&) {}
  // A config within the config: f(reader of it). Without the key it is empty.
  template <typename F>
  void nested(const char* key, F&& f) {
    const nlohmann::json inner = config_.has(key) ? config_.json()[key] : nlohmann::json::object();
    check(inner.is_object(), config_.who(), "config: {} is {}: expected an object", key, quote(inner.dump()));
    const HfConfig config(inner, config_.who());
    FieldReader fields(config);
    f(fields);
  }

  const HfConfig& config() const { return config_; }

 private:
  const HfConfig& config_;
};

class FieldWriter {
 public:
  static constexpr bool kReads = false;

  template <typename T, typename U>
  void operator()(const char* key, const T& x, const U&) {
    json_[key] = x;
  }
  void or_null(const char* key, int64_t x) { json_[key] = x > 0 ? nlohmann::json(x) : nlohmann::json(); }
  void decoder(const char* key, int64_t x, int64_t encoder, int64_t) { json_[key] = x > 0 ? x : encoder; }
  void activation(const char* key, const std::string& x, const char*) { json_[key] = activation_to_hf(x); }
  void id(const char* key, int32_t x) { json_[key] = x < 0 ? nlohmann::json() : nlohmann::json(x); }
  void ids(const char* key, const std::vector<int32_t>& x) {
    json_[key] = x.size() > 1 ? nlohmann::json(x) : x.empty() ? nlohmann::json() : nlohmann::json(x[0]);
  }
  void only(const char* key, const nlohmann::json& value) { json_[key] = value; }
  void write(const char* key, const nlohmann::json& value) { json_[key] = value; }
  template <typename F>
  void nested(const char* key, F&& f) {
    FieldWriter fields;
    f(fields);
    json_[key] = fields.json();
  }

  const nlohmann::json& json() const { return json_; }

 private:
  nlohmann::json json_;
};

}  // namespace fovea::models
