// Hugging Face's .safetensors files: named tensors.
//   8 bytes     length of the header, little-endian
//   header      JSON: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...,
//   "__metadata__": {...}} data        the elements; together the tensors cover it without gap or overlap
// Everything is checked when a file is opened, and nothing is allocated for elements before a tensor is read.
// Read: F32, F64, F16 and BF16 (to f32), U8 and BOOL (to u8), other integers (to i32; a value that does not
// fit throws). Tensors of other types are listed, and throw when they are read.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/file.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

using Metadata = std::map<std::string, std::string>;

class Safetensors {
 public:
  static constexpr size_t kMaxHeader = 100'000'000;

  struct Entry {
    std::string name, dtype;
    Shape shape;
    size_t begin = 0, end = 0;  // in the data
  };

  static Safetensors open(const std::string& path);
  // `bytes` must outlive the result; `source` stands in messages: [safetensors] source: ...
  static Safetensors parse(std::span<const std::byte> bytes, std::string_view source);

  // In the order of their names.
  const std::vector<Entry>& entries() const { return entries_; }
  const Metadata& metadata() const { return metadata_; }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  // Throws when there is no such tensor, and then lists the nearest names.
  Tensor read(std::string_view name) const;
  // The elements as they lie in the file, at any alignment.
  std::span<const std::byte> bytes(const Entry& entry) const {
    return data_.subspan(entry.begin, entry.end - entry.begin);
  }
  // These are not read soon: a mapped file gives their memory back until they are.
  void release(std::span<const std::byte> bytes) const;

 private:
  void check_data() const;
  const Entry* find(std::string_view name) const;

  std::optional<MappedFile> file_;
  std::string source_;
  std::span<const std::byte> data_;
  std::vector<Entry> entries_;
  Metadata metadata_;
};

// How a file has elements of f32: whole, or rounded to 16 bits.
enum class FileDType : uint8_t { kAsIs, kF16, kBF16 };

struct NamedTensor {
  std::string name;
  Tensor tensor;
  FileDType as = FileDType::kAsIs;  // of f32; others are always whole
};

// Names must differ. In the data, larger elements come first and names are in order, so every tensor lies
// aligned.
void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata = {});
// Into a file that the caller commits.
void write_safetensors(StagedFile& file, std::span<const NamedTensor> tensors, const Metadata& metadata = {});
// The bytes of such a file, piece by piece; `target` stands in messages.
void write_safetensors(const ByteSink& sink, std::string_view target, std::span<const NamedTensor> tensors,
                       const Metadata& metadata = {});

}  // namespace fovea
