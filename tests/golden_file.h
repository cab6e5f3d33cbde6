// The goldens that tools/goldens_rnn.py makes: named arrays, and parameters kept with their gradients.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fovea/nn/parameter.h"
#include "fovea/tensor/safetensors.h"

namespace fovea::testing {

class GoldenFile {
 public:
  explicit GoldenFile(const std::string& path) : file_(Safetensors::open(path)) {}

  nlohmann::json about(const std::string& key) const {
    return nlohmann::json::parse(file_.metadata().at(key));
  }
  bool has(const std::string& name) const { return file_.contains(name); }
  Tensor array(const std::string& name) const { return file_.read(name); }
  // Of an array [2, ..] that holds a value and its gradient.
  Tensor value(const std::string& name) const { return half(name, 0); }
  Tensor gradient(const std::string& name) const { return half(name, 1); }
  // Of the arrays whose names begin with `prefix`.
  std::vector<std::string> names(const std::string& prefix) const {
    std::vector<std::string> list;
    for (const Safetensors::Entry& entry : file_.entries())
      if (entry.name.starts_with(prefix)) list.push_back(entry.name);
    return list;
  }

 private:
  Tensor half(const std::string& name, int64_t i) const {
    const Tensor both = array(name);
    Shape shape;
    for (int axis = 1; axis < both.rank(); ++axis) shape.push_back(both.dim(axis));
    return both.slice(i, i + 1).reshape(shape).copy();
  }

  Safetensors file_;
};

// The largest difference, as a share of the largest number wanted (or of 0.01, where all are smaller).
inline double relative_difference(const Tensor& got, const Tensor& want) {
  if (!got.defined() || got.shape() != want.shape()) return std::numeric_limits<double>::infinity();
  double worst = 0, largest = 0.01;
  for (int64_t i = 0; i < want.size(); ++i) {
    const double p = got.data<float>()[i], q = want.data<float>()[i];
    if (std::isnan(p) || std::isnan(q)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, std::abs(p - q));
    largest = std::max(largest, std::abs(q));
  }
  return worst / largest;
}

inline double largest_of(const Tensor& x) {
  double most = 0;
  for (const float v : x.span<float>()) most = std::max(most, std::abs(static_cast<double>(v)));
  return most;
}

// The largest difference, as a share of the largest entry of this gradient. Where that is less than three thousandths of the largest in the model
// it is as a share of those: of gradients that are 0 in theory, such as that of a bias of keys, f32 leaves noise.
inline double gradient_difference(const Tensor& got, const Tensor& want, double largest_in_model) {
  if (!got.defined() || got.shape() != want.shape()) return std::numeric_limits<double>::infinity();
  const double scale = std::max(largest_of(want), 3e-3 * largest_in_model);
  double worst = 0;
  for (int64_t i = 0; i < want.size(); ++i) {
    const double off = static_cast<double>(got.data<float>()[i]) - static_cast<double>(want.data<float>()[i]);
    if (std::isnan(off)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, std::abs(off));
  }
  return worst / scale;
}

}  // namespace fovea::testing
