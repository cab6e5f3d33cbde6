// Gradients of graphs as users write them: operations of the whole table, composed at random.
//
// A failure prints its seed; FOVEA_GRAPH_SEED=N runs that graph alone and prints it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/autograd/all_cases.h"
#include "tests/autograd/random_graph.h"

namespace fovea::testing {
namespace {

constexpr int kParts = 4, kGraphs = 6000;  // in each part

// What a leaf's gradient is before backward().
enum class Start { kUndefined, kZeros, kNumbers, kCleared };

// A leaf of a graph: watched anew for each use, or one variable.
struct TestedLeaf {
  autograd::Parameter parameter;
  Start start;
  Var variable;

  TestedLeaf(const Tensor& value, Random& random)
      : parameter{"leaf", value, {}},
        start(random.below(2) ? Start::kUndefined : static_cast<Start>(random.below(4))) {
    if (start != Start::kUndefined)
      parameter.grad = Tensor::full(value.shape(), start == Start::kZeros ? 0 : kBefore, DType::kF64);
    if (start == Start::kCleared) parameter.clear_grad();
    watched = start == Start::kCleared || random.below(2) == 0;
  }
  Var use() {
    if (watched) return autograd::watch(parameter);
    if (!variable.defined()) variable = autograd::variable(parameter.value, parameter.grad);
    return variable;
  }
  // What backward() added.
  double gradient(int64_t i) const {
    if (!parameter.has_grad()) return 0;
    return parameter.grad.data<double>()[i] - (start == Start::kNumbers ? kBefore : 0);
  }

  static constexpr double kBefore = 0.125;
  bool watched = false;
};

// d loss / d x of one element, by central differences of second and fourth order with several steps. The first that agrees with `got` is
// given back, or else the last.
double difference(RandomGraph& graph, double& x, double got, double tolerance) {
  const double at = x;
  const auto value = [&](double step) {
    x = at + step;
    return graph.value();
  };
  double found = 0;
  for (const double h : {1e-5, 1e-3, 1e-4, 1e-6}) {
    const double near = value(h) - value(-h);
    found = h < 5e-5 ? near / (2 * h) : (8 * near - value(2 * h) + value(-2 * h)) / (12 * h);
    if (std::abs(got - found) <= tolerance) break;
  }
  x = at;
  return found;
}

::testing::AssertionResult gradient_is_right(const GraphTable& table, uint64_t seed) {
  RandomGraph graph(table, seed);
  Random random(seed, 8);
  std::vector<TestedLeaf> leaves;
  for (const Tensor& leaf : graph.leaves) leaves.emplace_back(leaf, random);
  {
    autograd::Tape tape;
    const Var loss = graph.run([&](size_t i) { return leaves[i].use(); });
    if (loss.node()) tape.backward(loss);
  }
  double most = 1e-3;
  for (const TestedLeaf& leaf : leaves)
    for (int64_t i = 0; i < leaf.parameter.value.size(); ++i)
      most = std::max(most, std::abs(leaf.gradient(i)));
  for (size_t l = 0; l < leaves.size(); ++l)
    for (int64_t i = 0; i < graph.leaves[l].size(); ++i) {
      const double got = leaves[l].gradient(i), tolerance = 1e-6 * most;
      const double want = difference(graph, graph.leaves[l].data<double>()[i], got, tolerance);
      if (std::abs(got - want) <= tolerance) continue;
      return ::testing::AssertionFailure()
             << "the gradient of leaf " << l << " at element " << i << " is " << got << ", by differences "
             << want << "; run it alone: FOVEA_GRAPH_SEED=" << seed
             << " build/tests/autograd_test --gtest_filter='*RandomGraphs*'\n"
             << graph.text();
    }
  return ::testing::AssertionSuccess();
}

class RandomGraphs : public ::testing::TestWithParam<int> {};

TEST_P(RandomGraphs, EveryLeafHasTheGradientThatDifferencesFind) {
  const std::vector<OpCase> rows = all_cases();
  const GraphTable table(rows);
  if (const char* seed = std::getenv("FOVEA_GRAPH_SEED")) {
    const uint64_t chosen = std::strtoull(seed, nullptr, 10);
    if (GetParam() == 0) fmt::print("graph {}\n{}", chosen, RandomGraph(table, chosen).text());
    EXPECT_TRUE(gradient_is_right(table, chosen));
    return;
  }
  for (uint64_t seed = 0; seed < kGraphs && !HasFailure(); ++seed)
    EXPECT_TRUE(gradient_is_right(table, seed * kParts + static_cast<uint64_t>(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Part, RandomGraphs, ::testing::Range(0, kParts));

}  // namespace
}  // namespace fovea::testing
