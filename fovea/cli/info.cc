// fovea info: what a model is.
#include <map>

#include "fovea/base/grouped.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/models/model_dir.h"
#include "fovea/run/load.h"

namespace fovea::cli {
namespace {

std::string mebibytes(int64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

// What it is kept in while it runs.
std::string precision_of(const run::Runner& runner) {
  const run::Held& held = runner.held();
  std::string text = fmt::format("runs in {}: packed matrices of {}", run::name_of(runner.precision()),
                                 mebibytes(held.f32_bytes + held.int8_bytes));
  if (runner.precision() == run::Precision::kF32) return text;
  if (held.f32_bytes > 0) text += fmt::format("; in f32 {} of biases and scores", mebibytes(held.f32_bytes));
  for (const std::string& name : held.f32_matrices) text += fmt::format(", and the matrices of {}", name);
  return text + "; norms, and embeddings as they are read, are f32, too";
}

}  // namespace

int info(int argc, char** argv) {
  std::string dir;
  bool tensors = false, json = false;
  Arguments app("Says what a model is: its kind, sizes, vocabulary and tensors.", "fovea info");
  app.add_option("-m,--model,model", dir, "directory of the model, or of its training run")
      ->required()
      ->type_name("DIR");
  app.add_flag("--tensors", tensors, "list its tensors, too");
  app.add_flag("--json", json, "one JSON object");
  app.footer("Example:\n  fovea info -m en-ko\n  fovea info -m gpt2 --tensors");
  if (!parse(app, argc, argv)) return 0;
  const models::ModelFiles opened = models::open_model(dir);
  const run::Loaded model = run::load(opened);
  const models::WeightFiles& files = *opened.weights;
  const nlohmann::json& config = opened.config;
  const std::string& place = opened.dir;
  const int64_t parameters = models::count_parameters(opened);
  std::map<std::string, int64_t> types;
  for (const auto& [name, entry] : files.entries()) types[entry.of.dtype] += entry.of.shape.size();
  if (json) {
    nlohmann::json all = {{"directory", place},
                          {"parameters", parameters},
                          {"runs",
                           {{"precision", run::name_of(model.runner->precision())},
                            {"f32_bytes", model.runner->held().f32_bytes},
                            {"int8_bytes", model.runner->held().int8_bytes},
                            {"f32_matrices", model.runner->held().f32_matrices}}},
                          {"config", config}};
    if (model.source)
      all["vocabulary"] = {{"source", model.source->size()}, {"target", model.target->size()}};
    for (const auto& [name, entry] : files.entries())
      if (tensors)
        all["tensors"][name] = {
            {"dtype", entry.of.dtype},
            {"shape", std::vector<int64_t>(entry.of.shape.begin(), entry.of.shape.end())}};
    print("{}\n", all.dump(2));
    return 0;
  }
  print("{}\n  {}, {}\n", place, config.value("model_type", "?"), model.what);
  print("  {} parameters", grouped(parameters));
  for (const auto& [type, count] : types) print("; {} numbers of {}", grouped(count), type);
  print("\n  {}\n", precision_of(*model.runner));
  if (model.source)
    print("  tokenizer {}, {} entries\n", model.source->kind(), grouped(model.source->size()));
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
