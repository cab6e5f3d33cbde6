// fovea info: what a model is.
#include <CLI/CLI.hpp>
#include <map>

#include "fovea/base/grouped.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/models/model_dir.h"

namespace fovea::cli {
namespace {

const char* what_of(const models::Net& net) {
  if (dynamic_cast<const models::Seq2Seq*>(&net))
    return "turns one sequence into another: fovea translate, score, look";
  if (dynamic_cast<const models::LanguageModel*>(&net)) return "continues texts: fovea generate, score, look";
  switch (dynamic_cast<const models::Encoder&>(net).head()) {
    case models::Encoder::Head::kWords:
      return "reads texts, and knows missing words: fovea fill, embed, look";
    case models::Encoder::Head::kLabels:
      return "reads texts, and labels them: fovea classify, embed, look";
    case models::Encoder::Head::kTokenLabels:
      return "reads texts, and labels their words: fovea classify, embed, look";
    default:
      return "reads texts: fovea embed, look";
  }
}

}  // namespace

int info(int argc, char** argv) {
  std::string dir;
  bool tensors = false, json = false;
  CLI::App app("Says what a model is: its kind, sizes, vocabulary and tensors.", "fovea info");
  app.add_option("model", dir, "directory of the model, or of its training run")
      ->required()
      ->type_name("DIR");
  app.add_flag("--tensors", tensors, "list its tensors, too");
  app.add_flag("--json", json, "one JSON object");
  app.footer("Example:\n  fovea info en-ko\n  fovea info --tensors gpt2");
  if (!parse(app, argc, argv)) return 0;
  const std::string place = models::find_model(dir);
  const models::AnyModel model = models::load_any_model(dir);
  const models::WeightFiles files(place);
  nlohmann::json config = model.net->config();
  int64_t parameters = 0;
  for (const nn::Parameter* p : model.net->parameters()) parameters += p->value.size();
  std::map<std::string, int64_t> types;
  for (const auto& [name, entry] : files.entries()) types[entry.of.dtype] += entry.of.shape.size();
  if (json) {
    nlohmann::json all = {
        {"directory", place},
        {"parameters", parameters},
        {"config", config},
        {"vocabulary", {{"source", model.source->size()}, {"target", model.target->size()}}}};
    for (const auto& [name, entry] : files.entries())
      if (tensors)
        all["tensors"][name] = {
            {"dtype", entry.of.dtype},
            {"shape", std::vector<int64_t>(entry.of.shape.begin(), entry.of.shape.end())}};
    print("{}\n", all.dump(2));
    return 0;
  }
  print("{}\n  {}, {}\n", place, config.value("model_type", "?"), what_of(*model.net));
  print("  {} parameters", grouped(parameters));
  for (const auto& [type, count] : types) print("; {} numbers of {}", grouped(count), type);
  print("\n  tokenizer {}, {} entries\n", model.source->kind(), grouped(model.source->size()));
  if (model.source != model.target)
    print("  target tokenizer {}, {} entries\n", model.target->kind(), grouped(model.target->size()));
  for (const auto& [key, value] : config.items())
    if (key != "model_type" && !value.is_null())
      print("  {:<24} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  for (const auto& [name, entry] : files.entries())
    if (tensors) print("  {:<60} {:<5} {}\n", name, entry.of.dtype, entry.of.shape.str());
  return 0;
}

}  // namespace fovea::cli
