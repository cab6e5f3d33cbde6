// The tensors of a model's directory: model.safetensors, or several files that model.safetensors.index.json lists.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fovea/tensor/safetensors.h"

namespace fovea::models {

class WeightFiles {
 public:
  // Throws where there are none, where the index is no index, names a file outside the directory, or a tensor that is not in its file.
  // `own_names`: the names are ours; those that older versions wrote are read as today's.
  explicit WeightFiles(const std::string& dir, bool own_names = false);

  struct Entry {
    Safetensors::Entry of;
    size_t file;
  };
  const std::map<std::string, Entry>& entries() const { return entries_; }
  bool contains(const std::string& name) const { return entries_.contains(name); }
  Tensor read(const std::string& name) const;
  // As Safetensors has them.
  std::span<const std::byte> bytes(const std::string& name) const;
  void release(std::span<const std::byte> bytes) const;
  int64_t numbers() const;       // of all tensors that can be weights
  FileDType file_dtype() const;  // in 16 bits where all of those are
  // What stands in messages: the file, or the directory of several.
  const std::string& name() const { return name_; }

 private:
  void add(const std::string& path, bool own_names);

  std::string name_;
  std::vector<Safetensors> files_;
  std::map<std::string, Entry> entries_;
};

}  // namespace fovea::models
