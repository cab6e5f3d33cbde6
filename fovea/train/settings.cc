#include "fovea/train/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"

namespace fovea::train {
namespace {

template <typename T>
bool parse_number(std::string_view text, T& number) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end && !text.empty();
}

// Reads the words of one setting; every failure names it.
class Reader {
 public:
  Reader(const Setting& setting, std::span<const std::string> words, std::string_view where)
      : setting_(setting), rules_(setting.rules), words_(words), where_(where) {}

  void operator()(std::string& value) const {
    value = only_word();
    check_choice(value);
  }
  void operator()(int64_t& value) const {
    int64_t number = 0;
    if (!parse_number(only_word(), number)) wrong("{} is no whole number", quote(only_word()));
    check_range(static_cast<double>(number));
    value = number;
  }
  void operator()(double& value) const {
    double number = 0;
    if (!parse_number(only_word(), number) || !std::isfinite(number))
      wrong("{} is no number", quote(only_word()));
    check_range(number);
    value = number;
  }
  void operator()(bool& value) const {
    const std::string& word = only_word();
    if (word != "true" && word != "false") wrong("{} is neither true nor false", quote(word));
    value = word == "true";
  }
  void operator()(Amount& value) const {
    try {
      value = Amount::parse(only_word());
    } catch (const Error& error) {
      const std::string_view text = error.what();
      wrong("{}", text.substr(text.find("] ") + 2));
    }
  }
  void operator()(Words& value) const {
    const auto count = static_cast<double>(words_.size());
    if (count > rules_.most || (count < rules_.least && count > 0))
      wrong("{} words: expected {} to {}", words_.size(), rules_.least, rules_.most);
    for (const std::string& word : words_) check_choice(word);
    value.assign(words_.begin(), words_.end());
  }

 private:
  template <typename... Args>
  [[noreturn]] void wrong(fmt::format_string<Args...> format, Args&&... args) const {
    fail("train", "{}{}: {}", where_, setting_.key, fmt::format(format, std::forward<Args>(args)...));
  }
  const std::string& only_word() const {
    if (words_.size() != 1) wrong("{} words: expected one", words_.size());
    return words_.front();
  }
  void check_range(double number) const {
    if (number >= rules_.least && (rules_.below ? number < rules_.most : number <= rules_.most)) return;
    if (rules_.below) wrong("{}: expected {} or more, and less than {}", number, rules_.least, rules_.most);
    wrong("{}: expected {} to {}", number, rules_.least, rules_.most);
  }
  void check_choice(const std::string& word) const {
    if (!rules_.choices || (rules_.may_be_empty && word.empty())) return;
    const Words names = rules_.choices();
    if (std::find(names.begin(), names.end(), word) == names.end())
      wrong("there is no {}{} Possible are {}", quote(word),
            did_you_mean(word, names).empty() ? "." : did_you_mean(word, names), fmt::join(names, ", "));
  }

  const Setting& setting_;
  const Setting::Rules& rules_;
  std::span<const std::string> words_;
  std::string_view where_;
};

std::string text_of(const std::string& value) { return value; }
std::string text_of(int64_t value) { return fmt::format("{}", value); }
std::string text_of(double value) { return fmt::format("{}", value); }
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(const Amount& value) { return value.text(); }

}  // namespace

void set(Settings& settings, const Setting& setting, std::span<const std::string> words,
         std::string_view where) {
  std::visit([&](auto member) { Reader(setting, words, where)(settings.*member); }, setting.member);
}

Words words_of(const Settings& settings, const Setting& setting) {
  return std::visit(
      [&](auto member) -> Words {
        if constexpr (std::is_same_v<decltype(member), Words Settings::*>)
          return settings.*member;
        else
          return {text_of(settings.*member)};
      },
      setting.member);
}

nlohmann::json to_json(const Settings& settings) {
  nlohmann::json json = nlohmann::json::object();
  for (const Setting& setting : settings_table())
    std::visit(
        [&](auto member) {
          if constexpr (std::is_same_v<decltype(member), Amount Settings::*>)
            json[setting.key] = (settings.*member).text();
          else
            json[setting.key] = settings.*member;
        },
        setting.member);
  return json;
}

Settings settings_from(const nlohmann::json& json, std::string_view source) {
  check(json.is_object(), "train", "{}: the settings are no JSON object", source);
  Settings settings;
  const std::string where = fmt::format("{}: ", source);
  for (const auto& [key, value] : json.items()) {
    Words words;
    for (const auto& each : value.is_array() ? value : nlohmann::json::array({value}))
      words.push_back(each.is_string() ? each.get<std::string>() : each.dump());
    set(settings, setting_named(key), words, where);
  }
  return settings;
}

std::vector<Difference> differences(const Settings& was, const Settings& is) {
  std::vector<Difference> found;
  for (const Setting& setting : settings_table()) {
    const Words before = words_of(was, setting), now = words_of(is, setting);
    if (before != now)
      found.push_back(
          {&setting, fmt::format("{}", fmt::join(before, " ")), fmt::format("{}", fmt::join(now, " "))});
  }
  return found;
}

}  // namespace fovea::train
