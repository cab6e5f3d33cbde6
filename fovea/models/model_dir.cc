#include "fovea/models/model_dir.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/grouped.h"
#include "fovea/base/quote.h"
#include "fovea/base/staged_directory.h"
#include "fovea/models/table.h"

namespace fovea::models {
namespace {

constexpr size_t kMostConfig = 1 << 20, kMostVocabulary = size_t{1} << 30;

bool is_file(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

nlohmann::json read_config(const std::string& path) {
  const auto config = nlohmann::json::parse(read_file(path, kMostConfig, "model"), nullptr, false);
  check(config.is_object(), "model", "{}: no valid JSON object: expected {{\"model_type\": ...}}", path);
  return config;
}

// {"tokenizer": {"joint": "spm"}} or {"tokenizer": {"source": "word", "target": "char"}}.
std::shared_ptr<const data::Tokenizer> read_tokenizer(const nlohmann::json& config, const std::string& dir,
                                                      const std::string& side) {
  const auto found = config.find("tokenizer");
  const bool named =
      found != config.end() && found->is_object() && found->contains(side) && (*found)[side].is_string();
  check(named, "model", "{}/config.json does not name the tokenizer of the {}", dir, side);
  const std::string path = dir + "/" + side + ".vocab";
  return data::tokenizer_from((*found)[side].get<std::string>(), read_file(path, kMostVocabulary, "model"),
                              path);
}

data::TokenizerPair read_tokenizers(const nlohmann::json& config, const std::string& dir) {
  if (config.contains("tokenizer") && config["tokenizer"].is_object() &&
      config["tokenizer"].contains("joint")) {
    const auto joint = read_tokenizer(config, dir, "joint");
    return {joint, joint};
  }
  return {read_tokenizer(config, dir, "source"), read_tokenizer(config, dir, "target")};
}

void check_vocabulary(const data::Tokenizer& tokenizer, int64_t ids, const std::string& dir,
                      const char* side) {
  check(tokenizer.size() == ids, "model",
        "{}: the {} tokenizer has {} ids and the model {}: they do not belong together", dir, side,
        grouped(tokenizer.size()), grouped(ids));
}

// A config that asks for more than the file holds is found before memory is taken for it.
void check_weights(const Safetensors& file, int64_t least, const std::string& dir) {
  int64_t numbers = 0;
  for (const Safetensors::Entry& entry : file.entries()) numbers += entry.shape.size();
  check(numbers >= least, "model",
        "{}: config.json asks for {} weights or more, and model.safetensors holds {}: they do not belong "
        "together",
        dir, grouped(least), grouped(numbers));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> describe(const Model& model) {
  nlohmann::json config = model.net->config();
  std::vector<std::pair<std::string, std::string>> files;
  if (model.source == model.target) {
    config["tokenizer"] = {{"joint", model.source->kind()}};
    files.emplace_back("joint.vocab", model.source->serialized());
  } else {
    config["tokenizer"] = {{"source", model.source->kind()}, {"target", model.target->kind()}};
    files.emplace_back("source.vocab", model.source->serialized());
    files.emplace_back("target.vocab", model.target->serialized());
  }
  files.emplace_back("config.json", config.dump(2) + "\n");
  return files;
}

std::string find_model(const std::string& dir) {
  for (const char* place : {"", "/best", "/last"})
    if (is_file(dir + place + "/config.json")) return dir + place;
  struct stat info;
  if (stat(dir.c_str(), &info) != 0) fail("model", "{}: {}", dir, std::strerror(errno));
  fail("model", "{} is no model: there is no config.json in it, nor in {}/best or {}/last", dir, dir, dir);
}

namespace {

// Against the checksums of whoever saved it. A run may put a newer one in its place while it is read: then the second try fits.
void check_files(const std::string& dir) {
  if (!is_committed(dir)) return;
  try {
    verify_directory(dir, "model");
  } catch (const Error&) {
    verify_directory(dir, "model");
  }
}

}  // namespace

data::TokenizerPair load_tokenizers(const std::string& where) {
  const std::string dir = find_model(where);
  return read_tokenizers(read_config(dir + "/config.json"), dir);
}

Model load_model(const std::string& where) {
  const std::string dir = find_model(where);
  check_files(dir);
  const nlohmann::json config = read_config(dir + "/config.json");
  Model model;
  const data::TokenizerPair tokenizers = read_tokenizers(config, dir);
  model.source = tokenizers.source;
  model.target = tokenizers.target;
  const ModelSize size = size_of_model(config);
  check_vocabulary(*model.source, size.source_vocab, dir, "source");
  check_vocabulary(*model.target, size.target_vocab, dir, "target");
  const std::string weights = dir + "/model.safetensors";
  const Safetensors file = Safetensors::open(weights);
  check_weights(file, size.least_weights, dir);
  model.net = make_model(config, 1);
  load_weights(*model.net, file, weights);
  return model;
}

std::vector<NamedTensor> weights_of(Seq2Seq& net) {
  std::vector<NamedTensor> tensors;
  for (const nn::Parameter* parameter : net.parameters())
    tensors.push_back({parameter->name, parameter->value});
  for (const NamedTensor& buffer : net.buffers()) tensors.push_back(buffer);
  return tensors;
}

void load_weights(Seq2Seq& net, const Safetensors& file, std::string_view source) {
  const std::vector<NamedTensor> tensors = weights_of(net);
  std::map<std::string, Tensor> known;
  for (const NamedTensor& tensor : tensors) known.emplace(tensor.name, tensor.tensor);
  for (const Safetensors::Entry& entry : file.entries()) {
    const auto found = known.find(entry.name);
    check(found != known.end(), "model", "{}: tensor {} is not part of this model", source,
          quote(entry.name));
    check(found->second.shape() == entry.shape, "model", "{}: tensor '{}' has shape {}: expected {}", source,
          entry.name, entry.shape.str(), found->second.shape().str());
  }
  for (const auto& [name, tensor] : known)
    check(file.contains(name), "model", "{}: tensor '{}' is missing", source, name);
  for (const auto& [name, tensor] : known) {
    const Tensor value = file.read(name).to(tensor.dtype());
    std::copy_n(value.bytes_data(), value.bytes(), tensor.bytes_data());
  }
  net.weights_changed();
}

}  // namespace fovea::models
