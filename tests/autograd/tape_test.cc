#include "fovea/autograd/tape.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/matmul.h"
#include "fovea/autograd/norm.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/parallel.h"
#include "fovea/base/random.h"
#include "fovea/kernels/arithmetic.h"
#include "tests/count_allocations.h"

namespace fovea::autograd {
namespace {

Tensor row(std::vector<float> values) { return Tensor::of({static_cast<int64_t>(values.size())}, values); }

TEST(Tape, GradientsAddUpOverUsesAndOverPasses) {
  Parameter x = {"x", row({2, 3}), {}};
  for (const float passes : {1.0f, 2.0f}) {
    Tape tape;
    const Var v = watch(x);
    tape.backward(sum(v * v + v));  // v is used three times: d = 2 v + 1
    EXPECT_EQ(x.grad.values<float>(), (std::vector<float>{5 * passes, 7 * passes}));
  }
  x.zero_grad();
  EXPECT_EQ(x.grad.values<float>(), (std::vector<float>{0, 0}));
}

TEST(Tape, ALeafsGradientIsItsOwn) {
  for (const bool leaf_first : {true, false}) {
    Tensor grad;
    Tape tape;
    const Var v = variable(row({2, 3}), grad);
    tape.backward(sum(leaf_first ? v + v * v : v * v + v));
    EXPECT_EQ(grad.values<float>(), (std::vector<float>{5, 7}));
  }
}

TEST(Tape, AParameterWatchedTwiceInOneOperationGetsBothGradients) {
  Parameter x = {"x", row({1, 2, 4}), {}};
  Tensor apart_x, apart_gain, apart_bias;
  const Tensor dy = row({1, -1, 3});
  {
    Tape tape;
    tape.backward(layer_norm(watch(x), watch(x), watch(x)), dy);
  }
  Tape tape;
  tape.backward(
      layer_norm(variable(x.value, apart_x), variable(x.value, apart_gain), variable(x.value, apart_bias)),
      dy);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_FLOAT_EQ(x.grad.span<float>()[i],
                    apart_x.span<float>()[i] + apart_gain.span<float>()[i] + apart_bias.span<float>()[i]);
}

TEST(Tape, AGradientThatTheCallerGivesIsNotChanged) {
  Tensor grad = row({1, 10});
  Tape tape;
  const Var v = variable(row({2, 3}), grad);
  tape.backward(v + v * v, grad);  // which is also where the leaf keeps its own: grad + (1 + 2 v) grad
  EXPECT_EQ(grad.values<float>(), (std::vector<float>{6, 80}));
}

TEST(Tape, AClearedGradientIsReplacedInPlace) {
  Parameter x = {"x", row({2, 3}), {}};
  for (const float factor : {1.0f, 3.0f}) {
    x.clear_grad();
    EXPECT_FALSE(x.has_grad());
    const float* before = x.grad.defined() ? x.grad.data<float>() : nullptr;
    Tape tape;
    tape.backward(sum(static_cast<double>(factor) * (watch(x) + watch(x))));
    EXPECT_TRUE(x.has_grad());
    EXPECT_EQ(x.grad.values<float>(), (std::vector<float>{2 * factor, 2 * factor}));
    if (before) {
      EXPECT_EQ(x.grad.data<float>(), before);
    }
  }
}

TEST(Tape, ValuesSharedBetweenOperationsGetTheirWholeGradientFirst) {
  Tensor grad;
  Tape tape;
  const Var x = variable(row({3}), grad);
  const Var shared = x * x;                      // 9, d = 6
  tape.backward(sum(shared * shared + shared));  // d / d shared = 2 * 9 + 1
  EXPECT_EQ(grad.item(), 19 * 6);
}

TEST(Tape, OnlyTheBranchThatTheLossSeesGetsAGradient) {
  Tensor seen, unseen;
  Tape tape;
  const Var a = variable(row({1, 2}), seen), b = variable(row({1, 2}), unseen);
  const Var ignored = b * a;
  tape.backward(sum(a));
  EXPECT_EQ(seen.values<float>(), (std::vector<float>{1, 1}));
  EXPECT_FALSE(unseen.defined());
}

TEST(Tape, NothingIsRecordedWithoutATapeUnderNoTapeOrForConstants) {
  Parameter x = {"x", row({1, 2}), {}};
  EXPECT_EQ((watch(x) * watch(x)).node(), nullptr);
  Tape tape;
  {
    NoTape off;
    EXPECT_EQ(Tape::current(), nullptr);
    EXPECT_EQ((watch(x) * watch(x)).node(), nullptr);
  }
  EXPECT_EQ(Tape::current(), &tape);
  EXPECT_EQ((Var(row({1})) + Var(row({2}))).node(), nullptr);
  EXPECT_EQ(tape.size(), 0);
  EXPECT_NE((watch(x) * watch(x)).node(), nullptr);
  EXPECT_EQ(tape.size(), 3);
}

TEST(Tape, AnInnerTapeLeavesTheOuterOneAlone) {
  Tensor outer_grad, inner_grad;
  Tape outer;
  const Var x = variable(row({2}), outer_grad), y = x * x;
  {
    Tape inner;
    const Var z = variable(row({5}), inner_grad);
    inner.backward(sum(z * z));
    EXPECT_EQ(outer.size(), 2);
  }
  outer.backward(sum(y));
  EXPECT_EQ(inner_grad.item(), 10);
  EXPECT_EQ(outer_grad.item(), 4);
}

TEST(Tape, AChainOfAHundredThousandOperationsRunsBackward) {
  Tensor grad;
  Tape tape;
  const Var x = variable(row({1}), grad);
  Var y = x;
  for (int i = 0; i < 100000; ++i) y = add_scalar(y, 1e-3);
  tape.backward(sum(y));
  EXPECT_EQ(grad.item(), 1);
}

TEST(Tape, BackwardNeedsOneElementAndAParameter) {
  Tensor grad;
  Tape tape;
  const Var x = variable(row({1, 2}), grad);
  EXPECT_THROW(tape.backward(x * x), Error);
  EXPECT_THROW(tape.backward(Var(row({1}))), Error);
  EXPECT_THROW(tape.backward(x * x, row({1})), Error);
}

// Two layers of linear + gelu, and the sum of squares.
struct Network {
  explicit Network(int64_t width) {
    Random random(11);
    const auto weight = [&](const Shape& shape) {
      std::vector<float> values(static_cast<size_t>(shape.size()));
      for (float& v : values) v = 0.1f * random.normal();
      return Tensor::of(shape, values);
    };
    parameters = {{"w1", weight({width, width}), {}},
                  {"b1", weight({width}), {}},
                  {"w2", weight({width, width}), {}},
                  {"b2", weight({width}), {}}};
    input = weight({64, width});
    target = weight({64, width});
  }
  double step(float rate) {
    Tape tape;
    const Var hidden = gelu(linear(Var(input), watch(parameters[0]), watch(parameters[1])));
    const Var y = linear(hidden, watch(parameters[2]), watch(parameters[3]));
    const Var loss = sum(square(y - Var(target)));
    tape.backward(loss);
    for (Parameter& p : parameters) {
      kernels::add_scaled(p.grad.data<float>(), p.value.data<float>(), p.value.size(), -rate);
      p.zero_grad();
    }
    return loss.value().item();
  }
  std::vector<Parameter> parameters;
  Tensor input, target;
};

TEST(Tape, ATrainingStepAfterTheFirstAllocatesNothing) {
  set_threads(
      1);  // a second thread takes its own scratch memory when it first gets a block of work, in whichever step that is
  Network network(96);
  const double first = network.step(1e-3f);
  network.step(1e-3f);
  const int64_t taken = pool::stats().system_allocations;
  double last = 0;
  EXPECT_EQ(testing::count_allocations([&] {
              for (int i = 0; i < 20; ++i) last = network.step(1e-3f);
            }),
            0);
  EXPECT_EQ(pool::stats().system_allocations, taken);
  EXPECT_LT(last, 0.7 * first);
  set_threads(0);
}

TEST(Tape, TrainingHasTheSameBitsOnOneThreadTwoThreadsAndAgain) {
  std::vector<std::vector<float>> weights;
  for (const int n : {1, 2, 2}) {
    set_threads(n);
    Network network(256);
    for (int i = 0; i < 3; ++i) network.step(1e-4f);
    weights.push_back(network.parameters[0].value.values<float>());
  }
  set_threads(0);
  for (const auto& w : weights)
    EXPECT_EQ(std::memcmp(w.data(), weights[0].data(), w.size() * sizeof(float)), 0);
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Tape, AValueOfAnEarlierTapeIsAnErrorAndNotAGradientLost) {
  Parameter x = {"x", row({2, 3}), {}};
  Var old;
  {
    Tape tape;
    old = watch(x) * 2.0;
    EXPECT_EQ(old.node() != nullptr, true);
    tape.backward(sum(old));
    EXPECT_EQ(message_of([&] { sum(old); }),
              "[tape] an input of shape [2] belongs to another tape, or to one that ran backward: use its "
              "value() to cut it off");
  }
  Tape tape;
  EXPECT_THROW(old + watch(x), Error);
  EXPECT_NO_THROW(Var(old.value()) + watch(x));
}

TEST(Tape, BackwardRunsOnce) {
  Parameter x = {"x", row({2, 3}), {}};
  Tape tape;
  const Var y = sum(watch(x));
  tape.backward(y);
  EXPECT_EQ(message_of([&] { tape.backward(y); }),
            "[backward] the value belongs to another tape, or to one that ran backward already");
}

TEST(Tape, AnUndefinedInputIsAnError) {
  EXPECT_THROW(Var() + Var(row({1})), Error);
  EXPECT_THROW(sum(Var()), Error);
}

}  // namespace
}  // namespace fovea::autograd
