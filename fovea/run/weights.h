// Where a runner's weights come from: the mapped files of a directory, or a Net. A runner asks for each tensor by our name and packs it
// straight from where it lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fovea/models/layouts/names.h"
#include "fovea/models/net.h"
#include "fovea/models/weight_files.h"
#include "fovea/run/arena.h"

namespace fovea::run {

enum class Element : uint8_t { kF32, kF64, kF16, kBF16, kU8 };

// Rows of a matrix as they lie in memory.
struct WeightPart {
  const std::byte* data = nullptr;
  Element type = Element::kF32;
  int64_t rows = 0, cols = 0;
  bool transposed = false;           // it lies as [cols, rows]
  const std::byte* scale = nullptr;  // kU8: f32 [rows]; a weight is (byte - 128) * scale
  int64_t channels = 0;  // more than 0: a row lies as [channels, places], and is [places, channels]

  // Row r as numbers.
  void row(int64_t r, float* to) const;
  // kU8: the same without its scale, which is returned.
  float quantized_row(int64_t r, int8_t* to) const;
  // An f32 matrix that can be read where it is.
  const float* in_place() const;
  size_t bytes() const;
};

// One thread at a time.
class Weights {
 public:
  virtual ~Weights() = default;

  virtual bool contains(const std::string& name) const = 0;
  // The parts of tensor `name` of `rows` rows, one below the other; a vector is one column. Throws where it is missing, or has
  // another shape.
  virtual std::vector<WeightPart> parts(const std::string& name, int64_t rows, int64_t cols) = 0;
  // The part was packed and is not read again.
  virtual void release(const WeightPart&) const {}
  // Tensor `name`, and those whose names go on after it, are for training only.
  virtual void skip(const std::string&) {}
  // Keeps the memory of parts alive and unchanged; null where nothing does.
  virtual std::shared_ptr<const void> keeper() const { return nullptr; }
  // Rows of the parts of a joint projection of queries, keys and values: file tensors of their own have so many.
  void set_joint_rows(int64_t query, int64_t key) { joint_ = {query, key}; }
  // Channels of a patch: file tensors may have them before its places.
  void set_patch_channels(int64_t channels) { patch_channels_ = channels; }

  // Where what is packed of them lies.
  Arena& packed() { return packed_; }

  // The whole tensor as f32.
  Tensor tensor(const std::string& name, const Shape& shape);

 protected:
  struct JointRows {
    int64_t query = 0, key = 0;
  } joint_;
  int64_t patch_channels_ = 0;

 private:
  Arena packed_;
};

// The parameters of a net, which must not change before they are packed.
class NetWeights final : public Weights {
 public:
  explicit NetWeights(models::Net& net);
  bool contains(const std::string& name) const override { return tensors_.contains(name); }
  std::vector<WeightPart> parts(const std::string& name, int64_t rows, int64_t cols) override;

 private:
  std::map<std::string, Tensor> tensors_;
};

// The files of a directory. `layout` is null where they have our own names.
class FileWeights final : public Weights {
 public:
  FileWeights(std::shared_ptr<const models::WeightFiles> files, const models::Layout* layout);
  bool contains(const std::string& name) const override;
  std::vector<WeightPart> parts(const std::string& name, int64_t rows, int64_t cols) override;
  void release(const WeightPart& part) const override;
  void skip(const std::string& name) override;
  std::shared_ptr<const void> keeper() const override { return files_; }

  // Throws where a file has a tensor that nobody asked for and the layout does not leave out.
  void check_all_used() const;

 private:
  WeightPart part(const models::FilePart& piece, int64_t rows, int64_t cols);

  std::shared_ptr<const models::WeightFiles> files_;
  const models::Layout* layout_;
  std::set<std::string> used_;
};

}  // namespace fovea::run
