// A random graph of operations from the case table: made once from a seed, and run as often as is needed on its leaves, as they are or a
// little moved.
//
// Any value can become any input: it is reshaped, cut or repeated to the shape that an operation wants, and brought into its domain by smooth
// functions. So leaves and intermediate values are used several times, as either operand, through views and slices, before and after they
// were part of the loss.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/shape_ops.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

// Rows of the table that a graph can draw, with shapes so small that thousands of graphs run in seconds.
struct GraphTable {
  struct Entry {
    const OpCase* row;
    const Shapes* shapes;
  };
  using Operation = std::vector<Entry>;  // the shapes it may have
  // With two inputs of any shape, with one, and with inputs of given shapes: a third of the draws each, so that values of one shape meet often.
  std::array<std::vector<Operation>, 3> groups;

  explicit GraphTable(const std::vector<OpCase>& table) {
    for (const OpCase& row : table) {
      if (!row.gradient_is_exact) continue;
      Operation entries;
      for (const Shapes& shapes : row.shapes)
        if (std::ranges::all_of(shapes, [](const Shape& s) { return s.size() > 0 && s.size() <= 24; }))
          entries.push_back({&row, &shapes});
      if (!entries.empty())
        groups[!row.any_shape ? 2 : row.shapes[0].size() == 1].push_back(std::move(entries));
    }
  }
};

class RandomGraph {
 public:
  using Leaf = std::function<Var(size_t)>;

  std::vector<Tensor> leaves;  // f64, to be moved by who runs it

  RandomGraph(const GraphTable& table, uint64_t seed) {
    Random random(seed, 7);
    const Shape shapes[] = {{}, {1}, {2}, {3}, {2, 2}, {1, 3}, {3, 1}, {2, 3}, {5}, {1, 2, 2}};
    for (int64_t n = 1 + random.below(3); n > 0; --n)
      leaves.push_back(normal_tensor(shapes[random.below(std::size(shapes))], random));
    autograd::NoTape off;
    Values values{.leaf = constant_leaves(), .leaves = leaves.size()};
    for (int64_t operations = 2 + random.below(11); operations > 0; --operations) {
      add_step(table, values, random);
      if (operations == 1 || random.below(4) == 0) add_term(operations == 1, values, random);
    }
  }

  // The loss, one number. leaf(i) makes a Var of leaf i, and is called for each use of it.
  Var run(const Leaf& leaf) const {
    Values values{.leaf = leaf, .leaves = leaves.size()};
    for (const Step& step : steps_) apply(step, values);
    return values.total;
  }

  // Without a tape.
  double value() const {
    autograd::NoTape off;
    return run(constant_leaves()).value().item();
  }

  std::string text() const {
    std::string all;
    for (size_t i = 0; i < leaves.size(); ++i)
      all += fmt::format("  {} = leaf {}\n", i, leaves[i].shape().str());
    for (size_t i = 0; i < steps_.size(); ++i) {
      all += fmt::format("  {} = {}(", leaves.size() + i, steps_[i].row ? steps_[i].row->name : "loss term");
      for (const Source& source : steps_[i].inputs)
        all += source.same_as >= 0 ? fmt::format(" as input {}", source.same_as)
               : source.value >= 0 ? fmt::format(" {}{} of {}", source.squashed ? "tanh " : "",
                                                 source.shape.str(), source.value)
                                   : fmt::format(" constant {}", source.shape.str());
      all += " )\n";
    }
    return all;
  }

 private:
  // How an input is made of an earlier value, or which constant it is.
  struct Source {
    int value = -1;    // -1: `pattern` is the input itself
    int same_as = -1;  // the very Var of an earlier input of this operation
    Shape shape = {};
    int64_t begin = 0;      // of the slice, where the value has more elements than the input
    bool squashed = false;  // tanh goes first
    Domain::Kind domain = Domain::kNormal;
    Tensor noise = {};    // is added to a value that was repeated, so that rows of equal numbers are rare
    Tensor pattern = {};  // signs or offsets that the domain asks for
  };
  struct Step {
    const OpCase* row = nullptr;  // null: a term of the loss, sum(value * weights)
    std::vector<Source> inputs = {};
    bool first_operand = false;  // the term goes before the total
  };
  struct Values {
    const Leaf leaf;
    size_t leaves;
    std::vector<Var> made = {};
    Var total = {};

    int count() const { return static_cast<int>(leaves + made.size()); }
    Var operator[](int i) const {
      const auto at = static_cast<size_t>(i);
      return at < leaves ? leaf(at) : made[at - leaves];
    }
  };

  Leaf constant_leaves() const {
    return [this](size_t i) { return Var(leaves[i]); };
  }

  static Tensor normal_tensor(const Shape& shape, Random& random) {
    Tensor x = Tensor::empty(shape, DType::kF64);
    for (double& v : x.span<double>()) v = random.normal();
    return x;
  }

  static double largest(const Tensor& x) {
    double most = 0;
    for (const double v : x.span<double>()) most = std::max(most, std::abs(v));
    return most;
  }

  void add_step(const GraphTable& table, Values& values, Random& random) {
    while (true) {
      const auto& operations = table.groups[static_cast<size_t>(random.below(3))];
      const auto& entries = operations[static_cast<size_t>(random.below(std::ssize(operations)))];
      const auto& [row, given] = entries[static_cast<size_t>(random.below(std::ssize(entries)))];
      Shapes shapes = *given;
      if (row->any_shape) {
        const Shape shape = values[draw_value(values, random)].shape();
        if (shape.size() > 24) continue;
        std::ranges::fill(shapes, shape);
      }
      Step step{.row = row};
      for (size_t i = 0; i < shapes.size(); ++i) draw_source(step, shapes, i, values, random);
      Values after = values;
      apply(step, after);
      const Tensor& y = after.made.back().value();
      if (y.size() == 0 || y.size() > 64 || !std::isfinite(largest(y))) continue;
      values.made.push_back(after.made.back());
      steps_.push_back(std::move(step));
      return;
    }
  }

  void add_term(bool of_last, Values& values, Random& random) {
    Source source{.value = of_last ? values.count() - 1 : draw_value(values, random)};
    source.shape = values[source.value].shape();
    source.squashed = largest(values[source.value].value()) > 3;
    source.pattern = normal_tensor(source.shape, random);
    steps_.push_back({.inputs = {source}, .first_operand = random.below(2) == 0});
    apply(steps_.back(), values);
  }

  static int draw_value(const Values& values, Random& random) {
    const int64_t recent = std::min<int64_t>(values.count(), 3), kind = random.below(3);
    return static_cast<int>(kind == 0   ? random.below(static_cast<int64_t>(values.leaves))
                            : kind == 1 ? values.count() - 1 - random.below(recent)
                                        : random.below(values.count()));
  }

  static void draw_source(Step& step, const Shapes& shapes, size_t i, const Values& values, Random& random) {
    const OpCase& row = *step.row;
    const Domain domain = i < row.domains.size() ? row.domains[i] : Domain{};
    Source source{.shape = shapes[i], .domain = domain.kind};
    const bool number = domain.kind != Domain::kIds && domain.kind != Domain::kTruth;
    for (size_t j = 0; j < i && number && source.same_as < 0; ++j)
      if (step.inputs[j].shape == source.shape && step.inputs[j].domain == domain.kind &&
          step.inputs[j].same_as < 0 && step.inputs[j].value >= 0 && random.below(3) == 0)
        source.same_as = static_cast<int>(j);
    if (!number || random.below(7) == 0) {
      source.pattern = make_input(row, shapes, i, DType::kF64, random);
    } else if (source.same_as < 0) {
      source.value = draw_value(values, random);
      for (int tries = 0; tries < 4 && random.below(2) && values[source.value].shape() != source.shape;
           ++tries)
        source.value = draw_value(values, random);
      const Tensor from = values[source.value].value();
      const int64_t size = source.shape.size();
      source.squashed = largest(from) > 2.5 || random.below(10) == 0;
      if (from.size() > size) source.begin = random.below(from.size() - size + 1);
      if (from.size() < size) source.noise = normal_tensor(source.shape, random);
      if (domain.kind == Domain::kAwayFromZero || domain.kind == Domain::kDistinct)
        source.pattern = make_input(row, shapes, i, DType::kF64, random);
    }
    step.inputs.push_back(std::move(source));
  }

  // Flat, cut or repeated, and in the shape that is asked for; the very value where that is its own.
  static Var fitted(const Source& source, Var x) {
    using namespace autograd;
    if (source.squashed) x = tanh(x);
    if (x.shape() == source.shape) return x;
    const int64_t size = source.shape.size(), given = x.value().size();
    if (given != size) {
      x = reshape(x, {-1});
      if (given < size) x = concat(std::vector<Var>(static_cast<size_t>((size + given - 1) / given), x), 0);
      if (x.value().size() > size) x = slice(x, 0, source.begin, source.begin + size);
    }
    x = reshape(x, source.shape);
    return source.noise.defined() ? x + Var(source.noise) : x;
  }

  static Var made_input(const Source& source, const Values& values) {
    using namespace autograd;
    if (source.value < 0) return Var(source.pattern);
    const Var x = fitted(source, values[source.value]);
    switch (source.domain) {
      case Domain::kPositive:
        return add_scalar(scale(tanh(x), 0.7), 1.25);
      case Domain::kAwayFromZero:  // on the side of 0 where the pattern is
        return Var(source.pattern) * exp(scale(tanh(x), 0.3));
      case Domain::kDistinct:  // as far apart as the pattern, to a fifth
        return Var(source.pattern) + scale(tanh(x), 0.004);
      default:
        return x;
    }
  }

  static void apply(const Step& step, Values& values) {
    using namespace autograd;
    if (!step.row) {
      const Source& source = step.inputs[0];
      const Var term = sum(fitted(source, values[source.value]) * Var(source.pattern));
      values.made.push_back(term);
      values.total = !values.total.defined() ? term
                     : step.first_operand    ? term + values.total
                                             : values.total + term;
      return;
    }
    std::vector<Var> inputs;
    for (const Source& source : step.inputs)
      inputs.push_back(source.same_as >= 0 ? inputs[static_cast<size_t>(source.same_as)]
                                           : made_input(source, values));
    values.made.push_back(step.row->run(inputs));
  }

  std::vector<Step> steps_;
};

}  // namespace fovea::testing
