// The goldens that tools/goldens_rnn.py makes: named arrays, and parameters kept with their gradients.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

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
  // How many arrays a case has whose names go on with `prefix`.
  int64_t count(const std::string& prefix) const {
    int64_t n = 0;
    for (const Safetensors::Entry& entry : file_.entries()) n += entry.name.starts_with(prefix);
    return n;
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

}  // namespace fovea::testing
