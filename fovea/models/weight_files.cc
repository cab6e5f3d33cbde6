#include "fovea/models/weight_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/json.h"
#include "fovea/base/quote.h"
#include "fovea/models/old_names.h"

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

WeightFiles::WeightFiles(const std::string& dir, bool own_names) : name_(dir + kOne) {
  if (std::filesystem::exists(dir + kOne)) {
    add(dir + kOne, own_names);
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
  for (const std::string& file : files) add(dir + "/" + file, own_names);
  for (const auto& [tensor, file] : index) {
    const auto found = entries_.find(own_names ? current_name(tensor) : tensor);
    const auto number = static_cast<size_t>(std::distance(files.begin(), files.find(file)));
    if (found == entries_.end() || found->second.file != number)
      fail("model", "{}{}: {} is not in {}", dir, kIndex, quote(tensor), file);
  }
}

void WeightFiles::add(const std::string& path, bool own_names) {
  files_.push_back(Safetensors::open(path));
  for (const Safetensors::Entry& entry : files_.back().entries()) {
    const std::string name = own_names ? current_name(entry.name) : entry.name;
    const bool fresh = entries_.emplace(name, Entry{entry, files_.size() - 1}).second;
    check(fresh, "model", "{}: {} is also in another file", path, quote(entry.name));
  }
}

Tensor WeightFiles::read(const std::string& name) const {
  const Entry& entry = entries_.at(name);
  return files_[entry.file].read(entry.of.name);
}

std::span<const std::byte> WeightFiles::bytes(const std::string& name) const {
  const Entry& entry = entries_.at(name);
  return files_[entry.file].bytes(entry.of);
}

void WeightFiles::release(std::span<const std::byte> bytes) const {
  for (const Safetensors& file : files_) file.release(bytes);
}

namespace {

// Others are buffers that no model of ours reads: ids of positions, masks.
bool holds_weights(const Safetensors::Entry& entry) {
  constexpr std::string_view kTypes[] = {"F64", "F32", "F16", "BF16", "U8"};
  return std::ranges::find(kTypes, entry.dtype) != std::end(kTypes);
}

}  // namespace

int64_t WeightFiles::numbers() const {
  int64_t count = 0;
  for (const auto& [name, entry] : entries_)
    if (holds_weights(entry.of)) count += entry.of.shape.size();
  return count;
}

FileDType WeightFiles::file_dtype() const {
  const auto count = [&](std::string_view type) {
    return std::ranges::count_if(entries_, [&](const auto& each) { return each.second.of.dtype == type; });
  };
  const auto f16 = count("F16"), bf16 = count("BF16"), whole = count("F32") + count("F64");
  if (whole > 0 || f16 * bf16 > 0) return FileDType::kAsIs;
  return f16 > 0 ? FileDType::kF16 : bf16 > 0 ? FileDType::kBF16 : FileDType::kAsIs;
}

}  // namespace fovea::models
