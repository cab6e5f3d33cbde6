// One row per operation: what runs, on which shapes, with what numbers. Tests of single operations (op_checks.h), random graphs
// (random_graph.h) and bench/ops.cc run the same rows; the rows are in cases/*.h, and all_cases.h lists them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fovea/autograd/tape.h"
#include "fovea/base/random.h"

namespace fovea::testing {

using autograd::Var;

// Which numbers an input holds. i32 and u8 inputs have no gradient.
struct Domain {
  enum Kind {
    kNormal,        // standard normal
    kPositive,      // in [0.5, 2]
    kAwayFromZero,  // |x| in [0.1, 2], both signs: for kinks at 0 and for divisors
    kDistinct,      // no two closer than 0.02, in random order: for max
    kIds,           // i32 in [0, size of `axis` of input 0)
    kTruth          // u8, 0 or 1
  };
  Kind kind = kNormal;
  int axis = 0;
};
inline Domain normal() { return {}; }
inline Domain positive() { return {Domain::kPositive}; }
inline Domain away_from_zero() { return {Domain::kAwayFromZero}; }
inline Domain distinct() { return {Domain::kDistinct}; }
inline Domain ids(int axis_of_first = 0) { return {Domain::kIds, axis_of_first}; }
inline Domain truth() { return {Domain::kTruth}; }

using Shapes = std::vector<Shape>;  // one shape per input

struct OpCase {
  std::string name;  // letters, digits and _: a test's name is made of it
  std::function<Var(const std::vector<Var>&)> run;
  std::vector<Shapes> shapes;        // small: every check runs on each, gradients by differences included
  std::vector<Shapes> large = {};    // large enough for threads: every check but differences
  std::vector<Domain> domains = {};  // per input; normal() where the list ends
  double f32_tolerance = 1e-5;       // f32 against f64, relative to the largest element
  bool gradient_is_exact =
      true;  // false where the defined gradient is not the derivative (straight-through and the like)
  bool any_shape = false;  // all inputs may have one shape, whatever it is
};

inline std::vector<OpCase> of_any_shape(std::vector<OpCase> rows) {
  for (OpCase& row : rows) row.any_shape = true;
  return rows;
}

// The input of shape shapes[i] for one run of a case.
inline Tensor make_input(const OpCase& row, const Shapes& shapes, size_t i, DType type, Random& random) {
  const Shape& shape = shapes[i];
  const Domain domain = i < row.domains.size() ? row.domains[i] : Domain{};
  const auto n = static_cast<size_t>(shape.size());
  if (domain.kind == Domain::kIds) {
    std::vector<int32_t> values(n);
    for (int32_t& x : values) x = static_cast<int32_t>(random.below(shapes[0][domain.axis]));
    return Tensor::of(shape, values);
  }
  if (domain.kind == Domain::kTruth) {
    std::vector<uint8_t> values(n);
    for (uint8_t& x : values) x = static_cast<uint8_t>(random.below(2));
    return Tensor::of(shape, values);
  }
  std::vector<float> values(n);
  for (size_t k = 0; k < n; ++k) {
    switch (domain.kind) {
      case Domain::kPositive:
        values[k] = random.uniform(0.5f, 2.0f);
        break;
      case Domain::kAwayFromZero:
        values[k] = random.uniform(0.1f, 2.0f) * (random.below(2) ? 1.0f : -1.0f);
        break;
      case Domain::kDistinct: {  // inside-out shuffle of evenly spaced values
        const auto j = static_cast<size_t>(random.below(static_cast<int64_t>(k) + 1));
        values[k] = values[j];
        values[j] = 0.02f * (static_cast<float>(k) - static_cast<float>(n) / 2);
        break;
      }
      default:
        values[k] = random.normal();
    }
  }
  return Tensor::of(shape, values).to(type);
}

// All inputs of one run. f32 and f64 inputs of the same seed hold the same numbers.
inline std::vector<Tensor> make_inputs(const OpCase& row, const Shapes& shapes, DType type, uint64_t seed) {
  Random random(seed);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < shapes.size(); ++i) inputs.push_back(make_input(row, shapes, i, type, random));
  return inputs;
}

inline std::string describe(const Shapes& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : " x ") + shape.str();
  return text;
}

}  // namespace fovea::testing
