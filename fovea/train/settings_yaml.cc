#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/train/settings.h"

namespace fovea::train {
namespace {

std::string at(std::string_view source, const YAML::Mark& mark) {
  return mark.line < 0 ? fmt::format("{}: ", source) : fmt::format("{}:{}: ", source, mark.line + 1);
}

Words words_in(const YAML::Node& value, const std::string& where, const std::string& key) {
  if (value.IsScalar()) return {value.Scalar()};
  check(value.IsSequence(), "train", "{}{}: expected a value or a list of values, and there is {}", where,
        key, value.IsNull() ? "nothing" : "a map");
  Words words;
  for (const YAML::Node& each : value) {
    check(each.IsScalar(), "train", "{}{}: a value of the list is not a plain one", where, key);
    words.push_back(each.Scalar());
  }
  return words;
}

}  // namespace

Keys read_yaml(Settings& settings, std::string_view text, std::string_view source) {
  constexpr size_t kMost = 1 << 20;
  check(text.size() <= kMost, "train", "{}: {} bytes, more than the {} that settings may have", source,
        text.size(), kMost);
  YAML::Node root;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    check(documents.size() <= 1, "train", "{}: {} documents: expected one", source, documents.size());
    if (!documents.empty()) root = documents.front();
  } catch (const YAML::Exception& error) {
    fail("train", "{}this is not YAML: {}", at(source, error.mark), error.msg);
  }
  Keys given;
  if (root.IsNull()) return given;
  check(root.IsMap(), "train", "{}: expected one key a line, such as dim-emb: 256", source);
  Words keys;
  for (const Setting& setting : settings_table()) keys.emplace_back(setting.key);
  std::map<std::string, int> lines;
  for (const auto& item : root) {
    const YAML::Node& key_node = item.first;
    const std::string where = at(source, key_node.Mark());
    check(key_node.IsScalar(), "train", "{}a key that is not a plain word", where);
    const std::string& key = key_node.Scalar();
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      fail("train", "{}{} is no setting{}", where, quote(key), did_you_mean(key, keys));
    const auto [first, is_new] = lines.emplace(key, key_node.Mark().line + 1);
    check(is_new, "train", "{}{} was given in line {} already", where, quote(key), first->second);
    set(settings, setting_named(key), words_in(item.second, where, key), where);
    given.insert(key);
  }
  return given;
}

std::string to_yaml(const Settings& settings, const Keys& open) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  std::string_view group;
  for (const Setting& setting : settings_table()) {
    if (group != setting.group) {
      if (!group.empty()) out << YAML::Newline;
      out << YAML::Comment(heading_of(setting));
      group = setting.group;
    }
    if (open.contains(setting.key)) {
      out << YAML::Newline << YAML::Comment(fmt::format("{}: by the data", setting.key));
      continue;
    }
    const Words words = words_of(settings, setting);
    out << YAML::Key << setting.key << YAML::Value;
    if (std::holds_alternative<Words Settings::*>(setting.member))
      out << YAML::Flow << words;
    else
      out << words.front();
  }
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace fovea::train
