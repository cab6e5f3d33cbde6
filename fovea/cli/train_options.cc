#include "fovea/cli/train_options.h"

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/cli/options.h"
#include "fovea/models/table.h"
#include "fovea/train/fit_to_data.h"

namespace fovea::cli {
namespace {

using train::Amount;
using train::Setting;
using train::Settings;
using train::Words;

const char* type_name(const Setting& setting) {
  if (setting.rules.shown_as) return setting.rules.shown_as;
  struct Names {
    const char* operator()(std::string Settings::*) const { return "NAME"; }
    const char* operator()(int64_t Settings::*) const { return "N"; }
    const char* operator()(double Settings::*) const { return "X"; }
    const char* operator()(bool Settings::*) const { return "true|false"; }
    const char* operator()(Amount Settings::*) const { return "300u|10e|80s|20m|2h"; }
    const char* operator()(Words Settings::*) const { return "NAME"; }
  };
  return std::visit(Names(), setting.member);
}

std::string help_of(const Setting& setting, const Settings& defaults, const train::Keys& fitted) {
  std::string help = setting.help;
  if (setting.rules.choices) help += fmt::format(": {}", fmt::join(setting.rules.choices(), ", "));
  std::string value = fmt::format("{}", fmt::join(words_of(defaults, setting), " "));
  for (const models::ModelKind& model : models::model_table())
    for (const models::Preset& preset : model.presets)
      if (std::string_view(preset.key) == setting.key)
        value += fmt::format("; {}: {}", model.name, preset.value);
  if (fitted.contains(setting.key)) value += "; or as it fits the data";
  return value.empty() ? help : fmt::format("{} [{}]", help, value);
}

// Wrong settings are wrong usage.
template <typename F>
void as_usage(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    std::string_view text = error.what();
    if (constexpr std::string_view kPrefix = "[train] "; text.starts_with(kPrefix))
      text.remove_prefix(kPrefix.size());
    throw UsageError(std::string(text));
  }
}

}  // namespace

train::Settings TrainRequest::over(train::Settings settings) const {
  as_usage([&] {
    if (!config.empty()) read_yaml(settings, text, config);
    for (const auto& [setting, words] : given) set(settings, *setting, words);
  });
  return settings;
}

train::Keys TrainRequest::open() const {
  train::Keys open = train::fitted_keys();
  Settings settings;
  if (!config.empty())
    for (const std::string& key : read_yaml(settings, text, config)) open.erase(key);
  for (const auto& [setting, words] : given) open.erase(setting->key);
  return open;
}

void add_train_options(Arguments& app, TrainRequest& request) {
  const Settings defaults;
  const train::Keys fitted = train::fitted_keys();
  const auto add = [&](const Setting& setting) {
    Option* option = app.add_words_option(
        fmt::format("{}--{}", setting.key == std::string_view("out") ? "-o," : "", setting.key),
        [&request, &setting](Words words) {
          if (std::holds_alternative<bool Settings::*>(setting.member) && words.size() == 1 &&
              words[0].empty())
            words[0] = "true";
          request.given.emplace_back(&setting, words);
        },
        help_of(setting, defaults, fitted));
    option->group(heading_of(setting))->type_name(type_name(setting));
    if (std::holds_alternative<Words Settings::*>(setting.member))
      option->expected(static_cast<int>(setting.rules.least), static_cast<int>(setting.rules.most))
          ->take_all();
    else if (std::holds_alternative<bool Settings::*>(setting.member))
      option->expected(0, 1)->take_last();
    else
      option->expected(1)->take_last();
  };
  // What every run needs comes before what some models have.
  for (const bool of_some_models : {false, true})
    for (const Setting& setting : train::settings_table())
      if (heading_of(setting).starts_with("Model: ") == of_some_models) add(setting);
  app.add_option_function<std::string>(
         "--config",
         [&request](const std::string& path) {  // read once: it may be a pipe
           request.config = path;
           as_usage([&] { request.text = read_file(path, size_t{1} << 20, "train"); });
         },
         "settings from a YAML file, each key a flag without its dashes; flags win")
      ->type_name("FILE")
      ->group("Settings");
  app.add_flag("--dump-config", request.dump_config,
               "print all settings as YAML for --config, and do nothing else")
      ->group("Settings");
}

}  // namespace fovea::cli
