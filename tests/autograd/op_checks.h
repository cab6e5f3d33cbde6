// What every row of the case table must pass. Each check returns a failure that says which element was wrong;
// seeds are fixed and printed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "fovea/base/parallel.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

inline constexpr uint64_t kSeed = 20170612;

// A value and the gradient of sum(y * dy) for each input, dy being standard normal. Gradients of inputs that
// nothing flowed to are zeros; of i32 and u8 inputs, undefined.
struct Outcome {
  Tensor y;
  std::vector<Tensor> grads;
};

inline Tensor random_like(const Tensor& y, uint64_t seed) {
  Random random(seed, 1);
  std::vector<float> values(static_cast<size_t>(y.size()));
  for (float& x : values) x = random.normal();
  return Tensor::of(y.shape(), values).to(y.dtype());
}

// `only`: the one input that is a variable, the others being constants; -1 for all. `times`: the operation is
// run so many times on the same variables, and the gradients add up.
inline Outcome evaluate(const OpCase& row, const std::vector<Tensor>& inputs, int only = -1, int times = 1) {
  Outcome outcome;
  outcome.grads.resize(inputs.size());
  autograd::Tape tape;
  std::vector<Var> vars;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool wanted = inputs[i].is_float() && (only < 0 || only == static_cast<int>(i));
    vars.push_back(wanted ? autograd::variable(inputs[i], outcome.grads[i]) : Var(inputs[i]));
  }
  std::vector<Var> results;
  for (int k = 0; k < times; ++k) results.push_back(row.run(vars));
  outcome.y = results[0].value();
  const Var all = autograd::record("all", std::span<const Var>(results), outcome.y,
                                   [times](const Tensor& dy, autograd::Grads& grads) {
                                     for (int k = 0; k < times; ++k) grads.pass(static_cast<size_t>(k), dy);
                                   });
  if (all.node()) tape.backward(all, random_like(outcome.y, kSeed));
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].is_float() && !outcome.grads[i].defined())
      outcome.grads[i] = Tensor::zeros(inputs[i].shape(), inputs[i].dtype());
  return outcome;
}

inline double largest(const Tensor& x) {
  double most = 0;
  for (const double v : x.to(DType::kF64).span<double>()) most = std::max(most, std::abs(v));
  return most;
}

// |a - b| <= tolerance * (the largest |b|, at least `floor`), and shapes are the same, and nothing is NaN.
inline AssertionResult close(const char* what, const Tensor& a, const Tensor& b, double tolerance,
                             double floor = 1e-4) {
  if (a.shape() != b.shape())
    return AssertionFailure() << what << " has shape " << a.shape().str() << ", expected " << b.shape().str();
  const Tensor x = a.to(DType::kF64), y = b.to(DType::kF64);
  const double scale = std::max(largest(y), floor);
  for (int64_t i = 0; i < x.size(); ++i) {
    const double got = x.data<double>()[i], want = y.data<double>()[i];
    if (!(std::abs(got - want) <= tolerance * scale))
      return AssertionFailure() << what << "[" << i << "] is " << got << ", expected " << want << ": off by "
                                << std::abs(got - want) / scale << " of " << scale;
  }
  return AssertionSuccess();
}

inline AssertionResult same_bits(const char* what, const Tensor& a, const Tensor& b) {
  if (a.shape() == b.shape() &&
      (!a.defined() || !std::memcmp(a.bytes_data(), b.bytes_data(), static_cast<size_t>(a.bytes()))))
    return AssertionSuccess();
  return AssertionFailure() << what << " has other bits";
}

#define FOVEA_RETURN_IF_FAILED(result) \
  if (AssertionResult failed = (result); !failed) return failed

// d sum(y * dy) / d x along `direction` (of x's shape), by a fourth-order central difference. The outputs are
// subtracted before they are summed, so that large sums do not eat digits.
inline double difference_along(const OpCase& row, std::vector<Tensor> inputs, size_t i,
                               const Tensor& direction, double h) {
  autograd::NoTape off;
  const Tensor x = inputs[i];
  const auto at = [&](double step) {
    inputs[i] = x.copy();
    for (int64_t k = 0; k < x.size(); ++k) inputs[i].data<double>()[k] += step * direction.data<double>()[k];
    return row.run({inputs.begin(), inputs.end()}).value();
  };
  const Tensor a2 = at(-2 * h), a1 = at(-h), b1 = at(h), b2 = at(2 * h);
  const Tensor dy = random_like(b1, kSeed);
  double sum = 0;
  for (int64_t k = 0; k < dy.size(); ++k) {
    const double near = b1.data<double>()[k] - a1.data<double>()[k];
    const double far = b2.data<double>()[k] - a2.data<double>()[k];
    sum += dy.data<double>()[k] * (8 * near - far);
  }
  return sum / (12 * h);
}

// Each element of each input's gradient, in f64, against differences: error at most 1e-6 of the largest
// element. Inputs of more than 256 elements: 64 of them, and a random direction through all.
inline AssertionResult gradient_is_the_derivative(const OpCase& row, const Shapes& shapes) {
  constexpr double kStep = 1e-3, kTolerance = 1e-6, kFloor = 1e-4;
  const std::vector<Tensor> inputs = make_inputs(row, shapes, DType::kF64, kSeed);
  const Outcome outcome = evaluate(row, inputs);
  Random random(kSeed, 2);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_float()) continue;
    const Tensor& x = inputs[i];
    const Tensor& grad = outcome.grads[i];
    if (grad.shape() != x.shape())
      return AssertionFailure() << "the gradient of input " << i << " has shape " << grad.shape().str();
    const bool all = x.size() <= 256;
    const double scale = std::max(largest(grad), kFloor);
    for (int64_t k = 0; k < (all ? x.size() : 64); ++k) {
      const int64_t element = all ? k : random.below(x.size());
      Tensor direction = Tensor::zeros(x.shape(), DType::kF64);
      direction.data<double>()[element] = 1;
      const double h = kStep * std::max(1.0, std::abs(x.data<double>()[element]));
      const double want = difference_along(row, inputs, i, direction, h), got = grad.data<double>()[element];
      if (!(std::abs(got - want) <= kTolerance * std::max(scale, std::abs(want))))
        return AssertionFailure() << "the gradient of input " << i << " at element " << element << " is "
                                  << got << ", by differences " << want << " (shapes " << describe(shapes)
                                  << ", seed " << kSeed << ")";
    }
    if (all) continue;
    Tensor direction = Tensor::empty(x.shape(), DType::kF64);
    double got = 0, size = 0;
    for (int64_t k = 0; k < x.size(); ++k) {
      const double d = random.uniform(-1, 1);
      direction.data<double>()[k] = d;
      got += d * grad.data<double>()[k];
      size += std::abs(d * grad.data<double>()[k]);
    }
    const double want = difference_along(row, inputs, i, direction, kStep);
    if (!(std::abs(got - want) <= kTolerance * std::max({size, std::abs(want), kFloor})))
      return AssertionFailure() << "the gradient of input " << i << " along a random direction is " << got
                                << ", by differences " << want << " (shapes " << describe(shapes) << ", seed "
                                << kSeed << ")";
  }
  return AssertionSuccess();
}

// A gradient is added to what is already there, and does not depend on which other inputs want theirs.
inline AssertionResult gradients_add_up(const OpCase& row, const Shapes& shapes) {
  const std::vector<Tensor> inputs = make_inputs(row, shapes, DType::kF64, kSeed);
  const Outcome once = evaluate(row, inputs), twice = evaluate(row, inputs, -1, 2);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_float()) continue;
    Tensor doubled = once.grads[i].copy();
    for (double& v : doubled.span<double>()) v *= 2;
    FOVEA_RETURN_IF_FAILED(close("the gradient after two uses", twice.grads[i], doubled, 1e-12))
        << " (input " << i << ", shapes " << describe(shapes) << ")";
    const Outcome alone = evaluate(row, inputs, static_cast<int>(i));
    FOVEA_RETURN_IF_FAILED(
        close("the gradient with the other inputs constant", alone.grads[i], once.grads[i], 1e-12))
        << " (input " << i << ", shapes " << describe(shapes) << ")";
  }
  return AssertionSuccess();
}

// Value and gradients in f32 against f64 on the same numbers. NaN fails.
inline AssertionResult f32_follows_f64(const OpCase& row, const Shapes& shapes) {
  const Outcome f32 = evaluate(row, make_inputs(row, shapes, DType::kF32, kSeed));
  const Outcome f64 = evaluate(row, make_inputs(row, shapes, DType::kF64, kSeed));
  FOVEA_RETURN_IF_FAILED(close("the value", f32.y, f64.y, row.f32_tolerance))
      << " (shapes " << describe(shapes) << ")";
  for (size_t i = 0; i < f32.grads.size(); ++i) {
    if (!f32.grads[i].defined()) continue;
    FOVEA_RETURN_IF_FAILED(close("the gradient", f32.grads[i], f64.grads[i], row.f32_tolerance))
        << " (input " << i << ", shapes " << describe(shapes) << ", seed " << kSeed << ")";
  }
  return AssertionSuccess();
}

// f32 value and gradients on one thread, on two, and on two again.
inline AssertionResult bits_do_not_depend_on_threads(const OpCase& row, const Shapes& shapes) {
  struct Reset {
    ~Reset() { set_threads(0); }
  } reset;
  const std::vector<Tensor> inputs = make_inputs(row, shapes, DType::kF32, kSeed);
  set_threads(1);
  const Outcome first = evaluate(row, inputs);
  set_threads(2);
  for (const char* run : {"on two threads", "on a second run"}) {
    const Outcome again = evaluate(row, inputs);
    FOVEA_RETURN_IF_FAILED(same_bits("the value", again.y, first.y))
        << " " << run << ", shapes " << describe(shapes);
    for (size_t i = 0; i < first.grads.size(); ++i)
      FOVEA_RETURN_IF_FAILED(same_bits("the gradient", again.grads[i], first.grads[i]))
          << " " << run << ", input " << i << ", shapes " << describe(shapes);
  }
  return AssertionSuccess();
}

#undef FOVEA_RETURN_IF_FAILED

}  // namespace fovea::testing
