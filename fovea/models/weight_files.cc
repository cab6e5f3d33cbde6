#include "fovea/models/weight_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/json.h"
#include "fovea/base/quote.h"

namespace fovea::models {
namespace {

constexpr const char *kOne = "/model.safetensors", *kIndex = "/model.safetensors.index.json";
constexpr size_t kMostIndex = size_t{1} << 27;

// {"weight_map": {TENSOR: FILE, ...}}.
std::map<std::string, std::string> read_index(const std::string& path) {
  const nlohmann::json index = parse_json(read_file(path, kMostIndex, "model"), "model", path);
  check(index.is_object() && index.contains("weight_map") && index["weight_map"].is_object(), "model",
        "{}: no index: expected {{\"weight_map\": {{tensor: file, ...}}}}", path);
  std::map<std::string, std::string> files;
  for (const auto& [tensor, file] : index["weight_map"].items()) {
    check(file.is_string(), "model", "{}: the file of {} is no name", path, quote(tensor));
    const std::string name = file.get<std::string>();
    check(!name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
              name.find('\0') == std::string::npos,
          "model", "{}: {} is no name of a file in this directory", path, quote(name));
    files[tensor] = name;
  }
  return files;
}

}  // namespace

WeightFiles::WeightFiles(const std::string& dir) : name_(dir + kOne) {
  if (std::filesystem::exists(dir + kOne)) {
    add(dir + kOne);
    return;
  }
  if (!std::filesystem::exists(dir + kIndex)) {
    const bool pickled = std::filesystem::exists(dir + "/pytorch_model.bin");
    fail(
        "model", "{}: there is no model.safetensors, nor model.safetensors.index.json{}", dir,
        pickled
            ? "; pytorch_model.bin is a pickle, which runs code when it is read: save it again as safetensors"
            : "");
  }
  name_ = dir;
  const std::map<std::string, std::string> index = read_index(dir + kIndex);
  std::set<std::string> files;
  for (const auto& [tensor, file] : index) files.insert(file);
  for (const std::string& file : files) add(dir + "/" + file);
  for (const auto& [tensor, file] : index) {
    const auto found = entries_.find(tensor);
    const auto number = static_cast<size_t>(std::distance(files.begin(), files.find(file)));
    if (found == entries_.end() || found->second.file != number)
      fail("model", "{}{}: {} is not in {}", dir, kIndex, quote(tensor), file);
  }
}

void WeightFiles::add(const std::string& path) {
  files_.push_back(Safetensors::open(path));
  for (const Safetensors::Entry& entry : files_.back().entries()) {
    const bool fresh = entries_.emplace(entry.name, Entry{entry, files_.size() - 1}).second;
    check(fresh, "model", "{}: {} is also in another file", path, quote(entry.name));
  }
}

Tensor WeightFiles::read(const std::string& name) const { return files_[entries_.at(name).file].read(name); }

int64_t WeightFiles::numbers() const {
  int64_t count = 0;
  for (const auto& [name, entry] : entries_) count += entry.of.shape.size();
  return count;
}

Written WeightFiles::written() const {
  const auto only = [&](std::string_view type) {
    return std::ranges::all_of(entries_, [&](const auto& each) { return each.second.of.dtype == type; });
  };
  return entries_.empty() ? Written::kWhole
         : only("F16")    ? Written::kF16
         : only("BF16")   ? Written::kBF16
                          : Written::kWhole;
}

}  // namespace fovea::models
