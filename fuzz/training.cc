#include "fovea/base/json.h"
#include "fovea/base/staged_directory.h"
#include "fovea/data/token_file.h"
#include "fovea/train/checkpoint.h"
#include "fovea/train/settings.h"
#include "fuzz/reader.h"
#include "tests/temporary_directory.h"

namespace fovea::fuzz {
namespace {

// The ids of "the low lower lowest\n", as training keeps them.
std::string token_file() {
  TemporaryDirectory dir;
  put(dir / "text", "the low lower lowest\nnew newer newest\n");
  const std::vector<std::string> lines = {"the low lower lowest"}, texts = {dir / "text"};
  const auto tokenizer = data::train_tokenizer(lines, {.kind = "char"});
  return file_of([&](const std::string& path) { data::write_token_file(texts, *tokenizer, path); });
}

void read_token_file(const std::string& text) {
  TemporaryDirectory dir;
  put(dir / "ids", text);
  const data::TokenFile file(dir / "ids");
  std::vector<int32_t> ids(static_cast<size_t>(file.size()));
  file.copy(0, ids);
  file.fingerprint();
}

// A checkpoint's files with their manifest.
Files checkpoint_files() {
  train::RunState state;
  state.update = 7;
  state.best["bleu"] = {12.5, 5};
  TemporaryDirectory dir;
  const std::vector<NamedTensor> weights = {{"a", Tensor::zeros({2, 3})}};
  train::save_checkpoint(
      dir / "last",
      {.files = {{"config.json", "{}"}}, .weights = weights, .optimizer = weights, .state = &state});
  Files files;
  for (const char* name :
       {"config.json", "model.safetensors", "optimizer.safetensors", "state.json", "manifest.json"})
    files.emplace_back(name, read_file(dir / "last" + "/" + name));
  return files;
}

}  // namespace

std::vector<Reader> training_readers() {
  std::vector<Reader> list;
  list.push_back({"settings",
                  {to_yaml(train::Settings()),
                   "model: transformer\nlearn-rate: 0.001\ntrain-sets: [a.en, a.de]\nafter: 10e # enough\n"},
                  [](const std::string& text) {
                    train::Settings settings;
                    read_yaml(settings, text, "input");
                    to_yaml(settings);
                  }});
  list.push_back({"token file", {token_file()}, read_token_file});
  const Files files = checkpoint_files();
  list.push_back(directory_file("manifest", "manifest.json", files,
                                [](const std::string& dir) { verify_directory(dir); }));
  list.push_back(
      directory_file("state", "state.json", files, [](const std::string& dir) { train::load_state(dir); }));
  list.push_back(directory_file("optimizer", "optimizer.safetensors", files,
                                [](const std::string& dir) { train::load_optimizer(dir); }));
  return list;
}

}  // namespace fovea::fuzz
