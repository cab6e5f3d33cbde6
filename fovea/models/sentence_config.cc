#include "fovea/models/sentence_config.h"

#include <filesystem>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/json.h"
#include "fovea/base/quote.h"

namespace fovea::models {
namespace {

using nlohmann::json;

constexpr size_t kMost = 1 << 20;
json read_json(const std::string& path) { return parse_json(read_file(path, kMost, "model"), "model", path); }

// {"pooling_mode_mean_tokens": true, ...}, of which one is on; or, newer, {"pooling_mode": "mean"}.
std::string pooling_of(const std::string& path) {
  const json pooling = read_json(path);
  check(pooling.is_object(), "model", "{}: expected an object with pooling_mode_mean_tokens", path);
  std::string mode = text_of(pooling, "pooling_mode");
  for (const auto& [key, on] : pooling.items()) {
    constexpr std::string_view kPrefix = "pooling_mode_";
    if (!key.starts_with(kPrefix) || on != true) continue;
    const std::string name = key.substr(kPrefix.size());
    check(mode.empty(), "model", "{}: {} beside {}: vectors put together of several are not made here", path,
          quote(name), quote(mode));
    mode = name;
  }
  if (mode == "mean" || mode == "mean_tokens" || mode.empty()) return "mean";
  if (mode == "cls" || mode == "cls_token") return "cls";
  fail("model", "{}: pooling by {}: only the mean and the state of [CLS] are made here", path, quote(mode));
}

// [{"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}, ...]
void add_modules(json& config, const std::string& dir, const std::string& path) {
  const json modules = read_json(path);
  check(modules.is_array(), "model", "{}: expected a list of modules", path);
  config["normalize"] = false;
  for (const json& module : modules) {
    const std::string type = text_of(module, "type"), kind = type.substr(type.rfind('.') + 1);
    if (kind == "Transformer") continue;
    if (kind == "Normalize") {
      config["normalize"] = true;
      continue;
    }
    check(kind == "Pooling", "model",
          "{}: a module of type {}: expected Transformer, Pooling and Normalize, which are what is computed "
          "here",
          path, quote(type));
    const std::string place = text_of(module, "path");
    check(!place.empty() && place != "." && place != ".." && place.find('/') == std::string::npos &&
              place.find('\0') == std::string::npos,
          "model", "{}: {} is no name of a directory in this one", path, quote(place));
    config["pooling"] = pooling_of(dir + "/" + place + "/config.json");
  }
}

}  // namespace

void add_sentence_config(json& config, const std::string& dir) {
  const auto there = [](const std::string& path) { return std::filesystem::is_regular_file(path); };
  if (const std::string path = dir + "/modules.json"; there(path))
    add_modules(config, dir, path);
  else if (const std::string pooling = dir + "/1_Pooling/config.json"; there(pooling))
    config["pooling"] = pooling_of(pooling);
  if (const std::string path = dir + "/config_sentence_transformers.json"; there(path)) {
    const json prompts = read_json(path);
    const std::string name = text_of(prompts, "default_prompt_name");
    check(name.empty() || text_of(prompts.value("prompts", json()), name.c_str()).empty(), "model",
          "{}: the prompt {} is to stand before every text: put it there yourself, and take "
          "default_prompt_name out",
          path, quote(name));
  }
  if (const std::string path = dir + "/sentence_bert_config.json"; there(path)) {
    const json sentences = read_json(path);
    check(sentences.is_object(), "model", "{}: expected an object", path);
    check(sentences.value("do_lower_case", json()) != true, "model",
          "{}: do_lower_case is true: only tokenizers change letters here", path);
    if (sentences.contains("max_seq_length")) config["max_seq_length"] = sentences["max_seq_length"];
  }
}

}  // namespace fovea::models
