// Attention written as loops over numbers, straight from the formulas: an oracle that shares no code with the
// library.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/tensor/tensor.h"

namespace fovea::testing {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

inline double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
inline Vector times(const Matrix& m, const Vector& x) {
  Vector y;
  for (const Vector& row : m) y.push_back(dot(row, x));
  return y;
}

// Row `index` of the last axis.
inline Vector vector_at(const Tensor& x, int64_t index) {
  const Tensor wide = x.to(DType::kF64);
  const int64_t n = x.dim(-1);
  return {wide.data<double>() + index * n, wide.data<double>() + (index + 1) * n};
}
inline Matrix matrix_of(const Tensor& x) {
  Matrix m;
  for (int64_t r = 0; r < x.size() / x.dim(-1); ++r) m.push_back(vector_at(x, r));
  return m;
}

using NaiveParams = std::map<std::string, Tensor>;
// score(query, key, index of the key, parameters of one head)
using NaiveScore = std::function<double(const Vector&, const Vector&, int64_t, const NaiveParams&)>;

// softmax over the visible keys, and the weighted sum of values: [T, m], and the weights [T, S].
struct NaiveRead {
  Matrix context, weights;
};
inline NaiveRead naive_attention(const Matrix& e, const Matrix& v) {
  NaiveRead y;
  for (const Vector& row : e) {
    double max = -std::numeric_limits<double>::infinity(), sum = 0;
    for (double x : row) max = std::max(max, x);
    Vector w(row.size(), 0.0), c(v.empty() ? 0 : v[0].size(), 0.0);
    if (!std::isinf(max)) {
      for (size_t j = 0; j < row.size(); ++j) sum += w[j] = std::exp(row[j] - max);
      for (double& x : w) x /= sum;
      for (size_t j = 0; j < row.size(); ++j)
        for (size_t m = 0; m < c.size(); ++m) c[m] += w[j] * v[j][m];
    }
    y.context.push_back(c);
    y.weights.push_back(w);
  }
  return y;
}

inline Tensor random_tensor(const Shape& shape, DType type, Random& random, float scale = 1) {
  Tensor x = Tensor::empty(shape);
  for (float& v : x.span<float>()) v = scale * random.normal();
  return x.to(type);
}

// The largest difference of two tensors of one shape, relative to the larger of 1 and the largest number.
inline double tensor_difference(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return std::numeric_limits<double>::infinity();
  const Tensor x = a.to(DType::kF64), y = b.to(DType::kF64);
  double worst = 0, size = 1;
  for (int64_t i = 0; i < x.size(); ++i) {
    const double p = x.data<double>()[i], q = y.data<double>()[i];
    if (std::isnan(p) || std::isnan(q)) return std::numeric_limits<double>::infinity();
    if (p == q) continue;
    worst = std::max(worst, std::abs(p - q));
    size = std::max(size, std::abs(q));
  }
  return worst / size;
}

// Whether a score wants query and key of one width: then params() throws for others.
template <typename S>
bool wants_equal_widths(const S& score) {
  try {
    score.params({.query = 5, .key = 3, .hidden = 1, .max_keys = 1});
  } catch (const Error&) {
    return true;
  }
  return false;
}

}  // namespace fovea::testing
