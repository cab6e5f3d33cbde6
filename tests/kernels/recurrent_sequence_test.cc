#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "fovea/base/parallel.h"
#include "fovea/base/random.h"
#include "fovea/kernels/recurrent.h"

namespace fovea {
namespace {

using kernels::Cell;
using kernels::gates_of;
using kernels::Sequence;
using kernels::SequenceGrads;
using Numbers = std::vector<double>;

constexpr std::array<Cell, 3> kCells = {Cell::kTanh, Cell::kGru, Cell::kLstm};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// Everything that goes into D sequences side by side, forward and backward. Numbers are exact in f32.
struct Problem {
  Cell cell = Cell::kGru;
  int64_t steps = 0, rows = 0, width = 0, directions = 1;  // T, B, H, D
  bool reverse = false;                                    // the first direction; a second one always is
  bool with_bias = true;
  std::vector<int32_t> lengths = {};  // empty: all T
  Numbers x = {}, dy = {};            // [T, B, D, G H] and [T, B, D, H]
  Numbers weight = {}, bias = {};     // [D, G H, H] and [D, G H]
  Numbers state = {}, memory = {};    // the first h and c, [D, B, H]
  Numbers dstate = {}, dmemory = {};  // the gradients of the last ones

  int64_t wide() const { return gates_of(cell) * width; }
  int64_t length(int64_t b) const { return lengths.empty() ? steps : lengths[static_cast<size_t>(b)]; }
  bool backwards(int64_t d) const { return reverse || d == 1; }

  Problem& draw(uint64_t seed) {
    Random random(seed);
    auto normals = [&](int64_t n, float scale) {
      Numbers numbers(static_cast<size_t>(n));
      for (double& v : numbers) v = scale * random.normal();
      return numbers;
    };
    x = normals(steps * rows * directions * wide(), 1);
    dy = normals(steps * rows * directions * width, 1);
    weight = normals(directions * wide() * width, 1 / std::sqrt(static_cast<float>(width)));
    if (with_bias) bias = normals(directions * wide(), 1);
    for (Numbers* numbers : {&state, &memory, &dstate, &dmemory})
      *numbers = normals(directions * rows * width, 1);
    return *this;
  }
};

template <typename T>
struct Outcome {
  std::vector<T> y, state, memory;                     // [T, B, D, H], and the last [D, B, H]
  std::vector<T> dx, dweight, dbias, dstate, dmemory;  // as the inputs
};

// The definition, row after row and step after step.
Outcome<double> naive(const Problem& p) {
  const int64_t H = p.width, wide = p.wide();
  Outcome<double> out;
  out.y.assign(p.dy.size(), 0);
  out.state = p.state;
  out.memory = p.memory;
  for (int64_t d = 0; d < p.directions; ++d)
    for (int64_t b = 0; b < p.rows; ++b)
      for (int64_t i = 0; i < p.length(b); ++i) {
        const int64_t t = p.backwards(d) ? p.length(b) - 1 - i : i;
        double* h = out.state.data() + (d * p.rows + b) * H;
        double* c = out.memory.data() + (d * p.rows + b) * H;
        const double* x = p.x.data() + ((t * p.rows + b) * p.directions + d) * wide;
        Numbers u(static_cast<size_t>(wide), 0.0);
        for (int64_t g = 0; g < wide; ++g) {
          double& sum = u[static_cast<size_t>(g)];
          if (p.with_bias) sum = p.bias[static_cast<size_t>(d * wide + g)];
          for (int64_t k = 0; k < H; ++k) sum += p.weight[static_cast<size_t>((d * wide + g) * H + k)] * h[k];
        }
        for (int64_t j = 0; j < H; ++j) {
          auto both = [&](int64_t gate) { return x[gate * H + j] + u[static_cast<size_t>(gate * H + j)]; };
          if (p.cell == Cell::kTanh) {
            h[j] = std::tanh(both(0));
          } else if (p.cell == Cell::kGru) {
            const double r = logistic(both(0)), z = logistic(both(1));
            const double n = std::tanh(x[2 * H + j] + r * u[static_cast<size_t>(2 * H + j)]);
            h[j] = (1 - z) * n + z * h[j];
          } else {
            c[j] = logistic(both(1)) * c[j] + logistic(both(0)) * std::tanh(both(2));
            h[j] = logistic(both(3)) * std::tanh(c[j]);
          }
          out.y[static_cast<size_t>(((t * p.rows + b) * p.directions + d) * H + j)] = h[j];
        }
      }
  return out;
}

// What is differentiated.
double loss(const Problem& p) {
  const Outcome<double> out = naive(p);
  double sum = 0;
  for (size_t i = 0; i < out.y.size(); ++i) sum += out.y[i] * p.dy[i];
  for (size_t i = 0; i < out.state.size(); ++i) sum += out.state[i] * p.dstate[i];
  if (p.cell == Cell::kLstm)
    for (size_t i = 0; i < out.memory.size(); ++i) sum += out.memory[i] * p.dmemory[i];
  return sum;
}

struct How {
  bool keep = true;       // gates and u, and then backward
  bool du_apart = false;  // du is not u
  bool dy = true;         // false: null
};

// The kernels. Rows of x, y, dx and dy lie further apart than they are wide; nothing may be written between them. What belongs to
// padding is NaN: nothing may be read there.
template <typename T>
Outcome<T> run(const Problem& p, const How& how = {}) {
  const int64_t T_ = p.steps, B = p.rows, D = p.directions, H = p.width, wide = p.wide();
  const int64_t ldx = D * wide + 3, ldy = D * H + 2;
  auto convert = [](const Numbers& from) { return std::vector<T>(from.begin(), from.end()); };
  // [T, B, n] with gaps between rows.
  auto spaced = [&](const Numbers& from, int64_t n, int64_t ld) {
    std::vector<T> to(static_cast<size_t>(T_ * B * ld + 1), static_cast<T>(kNan));
    for (int64_t t = 0; t < T_; ++t)
      for (int64_t b = 0; b < B; ++b)
        if (t < p.length(b)) std::copy_n(from.begin() + (t * B + b) * n, n, to.begin() + (t * B + b) * ld);
    return to;
  };
  auto unspaced = [&](const std::vector<T>& from, int64_t n, int64_t ld) {
    std::vector<T> to;
    for (int64_t r = 0; r < T_ * B; ++r) {
      to.insert(to.end(), from.begin() + r * ld, from.begin() + r * ld + n);
      for (int64_t j = n; j < ld; ++j)
        EXPECT_EQ(from[static_cast<size_t>(r * ld + j)], T{7}) << "between rows";
    }
    return to;
  };
  const std::vector<T> x = spaced(p.x, D * wide, ldx), dy = spaced(p.dy, D * H, ldy),
                       weight = convert(p.weight), bias = convert(p.bias);
  std::vector<T> y(static_cast<size_t>(T_ * B * ldy + 1), T{7}),
      dx(static_cast<size_t>(T_ * B * ldx + 1), T{7});
  std::vector<T> dstate = convert(p.dstate), dmemory = convert(p.dmemory);
  struct Own {
    std::vector<T> states, cells, gates, u, du;
  };
  std::vector<Own> own(static_cast<size_t>(D));
  std::vector<Sequence<T>> sequences;
  std::vector<SequenceGrads<T>> grads;
  const bool lstm = p.cell == Cell::kLstm;
  for (int64_t d = 0; d < D; ++d) {
    Own& o = own[static_cast<size_t>(d)];
    o.states.assign(static_cast<size_t>((T_ + 1) * B * H), static_cast<T>(kNan));
    o.cells = o.states;
    std::copy_n(p.state.begin() + d * B * H, B * H, o.states.begin());
    std::copy_n(p.memory.begin() + d * B * H, B * H, o.cells.begin());
    if (how.keep) o.gates.resize(static_cast<size_t>(T_ * B * wide));
    o.u = o.du = o.gates;
    auto optional = [](bool wanted, std::vector<T>& array) { return wanted ? array.data() : nullptr; };
    sequences.push_back({.steps = T_,
                         .rows = B,
                         .width = H,
                         .reverse = p.backwards(d),
                         .lengths = p.lengths.empty() ? nullptr : p.lengths.data(),
                         .x = x.data() + d * wide,
                         .ldx = ldx,
                         .weight = weight.data() + d * wide * H,
                         .bias = p.with_bias ? bias.data() + d * wide : nullptr,
                         .states = o.states.data(),
                         .cells = optional(lstm, o.cells),
                         .gates = optional(how.keep, o.gates),
                         .u = optional(how.keep, o.u),
                         .y = y.data() + d * H,
                         .ldy = ldy});
    grads.push_back({.dy = how.dy ? dy.data() + d * H : nullptr,
                     .lddy = ldy,
                     .dstate = dstate.data() + d * B * H,
                     .dcell = lstm ? dmemory.data() + d * B * H : nullptr,
                     .dx = dx.data() + d * wide,
                     .lddx = ldx,
                     .du = how.du_apart ? o.du.data() : o.u.data()});
  }
  kernels::sequence_forward(p.cell, std::span<const Sequence<T>>(sequences));
  Outcome<T> out;
  out.y = unspaced(y, D * H, ldy);
  for (const Own& o : own) {
    out.state.insert(out.state.end(), o.states.end() - B * H, o.states.end());
    out.memory.insert(out.memory.end(), o.cells.end() - B * H, o.cells.end());
  }
  if (!how.keep) return out;
  kernels::sequence_backward(p.cell, std::span<const Sequence<T>>(sequences),
                             std::span<const SequenceGrads<T>>(grads));
  out.dx = unspaced(dx, D * wide, ldx);
  out.dstate = dstate;
  out.dmemory = dmemory;
  for (int64_t d = 0; d < D; ++d) {  // dW = sum du^T states, dbias = sum du
    const Own& o = own[static_cast<size_t>(d)];
    const std::vector<T>& du = how.du_apart ? o.du : o.u;
    for (int64_t g = 0; g < wide; ++g) {
      double sum = 0;
      for (int64_t r = 0; r < T_ * B; ++r) sum += du[static_cast<size_t>(r * wide + g)];
      out.dbias.push_back(static_cast<T>(sum));
      for (int64_t k = 0; k < H; ++k) {
        double product = 0;
        for (int64_t r = 0; r < T_ * B; ++r)
          product += static_cast<double>(du[static_cast<size_t>(r * wide + g)]) *
                     o.states[static_cast<size_t>(r * H + k)];
        out.dweight.push_back(static_cast<T>(product));
      }
    }
  }
  return out;
}

template <typename A, typename B>
void expect_near(const std::vector<A>& got, const std::vector<B>& want, double tolerance, const char* what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance * (1 + std::abs(static_cast<double>(want[i]))))
        << what << " " << i;
}

template <typename A, typename B>
void expect_same_forward(Cell cell, const Outcome<A>& got, const Outcome<B>& want, double tolerance) {
  expect_near(got.y, want.y, tolerance, "y");
  expect_near(got.state, want.state, tolerance, "the last h");
  if (cell == Cell::kLstm) expect_near(got.memory, want.memory, tolerance, "the last c");
}
template <typename A, typename B>
void expect_same_backward(const Outcome<A>& got, const Outcome<B>& want, double tolerance) {
  expect_near(got.dx, want.dx, tolerance, "dx");
  expect_near(got.dweight, want.dweight, tolerance, "dweight");
  expect_near(got.dbias, want.dbias, tolerance, "dbias");
  expect_near(got.dstate, want.dstate, tolerance, "dstate");
  expect_near(got.dmemory, want.dmemory, tolerance, "dmemory");
}

std::vector<int32_t> mixed_lengths(int64_t rows, int64_t steps) {
  std::vector<int32_t> lengths;
  for (int64_t b = 0; b < rows; ++b) lengths.push_back(static_cast<int32_t>((steps + 3 * b) % (steps + 1)));
  return lengths;  // all of them, then none, then others
}

// Calls f(problem) for every cell, with and without lengths, from either end and from both.
template <typename F>
void for_each_problem(std::initializer_list<std::array<int64_t, 3>> sizes, F&& f) {
  struct OneThread {  // tiny work: a second thread would only be waited for
    OneThread() { set_threads(1); }
    ~OneThread() { set_threads(0); }
  } one_thread;
  uint64_t seed = 1;
  for (const Cell cell : kCells)
    for (const auto& [steps, rows, width] : sizes)
      for (const bool with_lengths : {false, true})
        for (const auto& [directions, reverse] : {std::pair{1, false}, {1, true}, {2, false}}) {
          Problem p{.cell = cell,
                    .steps = steps,
                    .rows = rows,
                    .width = width,
                    .directions = directions,
                    .reverse = reverse};
          p.with_bias = seed % 3 != 0;
          if (with_lengths) p.lengths = mixed_lengths(rows, steps);
          p.draw(++seed);
          SCOPED_TRACE(::testing::Message()
                       << "cell " << static_cast<int>(cell) << " " << steps << "x" << rows << "x" << width
                       << " lengths " << with_lengths << " directions " << directions << " reverse "
                       << reverse << " seed " << seed);
          f(p);
          if (::testing::Test::HasFatalFailure()) return;
        }
}

TEST(RecurrentSequence, IsTheLoopOverRowsAndSteps) {
  for_each_problem({{1, 1, 1}, {4, 3, 5}, {5, 33, 17}, {0, 2, 3}, {3, 0, 2}}, [](const Problem& p) {
    const Outcome<double> want = naive(p);
    expect_same_forward(p.cell, run<double>(p), want, 1e-12);
    expect_same_forward(p.cell, run<float>(p), want, 1e-5);
    expect_same_forward(p.cell, run<float>(p, {.keep = false}), run<float>(p), 0);
  });
}

TEST(RecurrentSequence, GradientsAreSlopesOfTheLoop) {
  for_each_problem({{1, 1, 2}, {4, 3, 2}}, [](Problem p) {
    const Outcome<double> got = run<double>(p);
    auto expect_slope = [&](Numbers& at, const Numbers& grad, const char* what) {
      ASSERT_EQ(grad.size(), at.size());
      for (size_t i = 0; i < at.size(); ++i) {
        constexpr double kStep = 1e-5;
        const double before = at[i];
        at[i] = before + kStep;
        const double up = loss(p);
        at[i] = before - kStep;
        const double down = loss(p);
        at[i] = before;
        ASSERT_NEAR(grad[i], (up - down) / (2 * kStep), 1e-7) << what << " " << i;
      }
    };
    expect_slope(p.x, got.dx, "x");
    expect_slope(p.weight, got.dweight, "weight");
    if (p.with_bias) expect_slope(p.bias, got.dbias, "bias");
    expect_slope(p.state, got.dstate, "state");
    if (p.cell == Cell::kLstm) expect_slope(p.memory, got.dmemory, "memory");
  });
}

TEST(RecurrentSequence, GradientsInF32AreThoseInF64) {
  for_each_problem({{1, 1, 1}, {6, 33, 17}, {3, 5, 50}, {0, 2, 3}, {3, 0, 2}},
                   [](const Problem& p) { expect_same_backward(run<float>(p), run<double>(p), 2e-5); });
}

TEST(RecurrentSequence, NoStepsPassTheStateAndItsGradientOn) {
  for (const Cell cell : kCells) {
    Problem p{.cell = cell, .steps = 0, .rows = 3, .width = 4};
    p.draw(5);
    const Outcome<double> got = run<double>(p);
    EXPECT_EQ(got.state, p.state);
    EXPECT_EQ(got.dstate, p.dstate);
    p.steps = 2;
    p.lengths = {0, 2, 0};
    p.draw(6);
    const Outcome<double> mixed = run<double>(p);
    for (size_t i = 0; i < p.state.size(); ++i) {
      const bool has_steps = i / 4 == 1;
      EXPECT_EQ(mixed.state[i] == p.state[i], !has_steps) << i;
      EXPECT_EQ(mixed.dstate[i] == p.dstate[i], !has_steps) << i;
    }
  }
}

TEST(RecurrentSequence, SameBitsOnOneThreadAndTwoWhereverDuLies) {
  for_each_problem({{4, 33, 17}}, [](const Problem& p) {
    set_threads(1);
    const Outcome<float> one = run<float>(p);
    set_threads(2);
    const Outcome<float> two = run<float>(p), apart = run<float>(p, {.keep = true, .du_apart = true});
    set_threads(0);
    for (const Outcome<float>* other : {&two, &apart}) {
      expect_same_forward(p.cell, *other, one, 0);
      expect_same_backward(*other, one, 0);
    }
  });
}

TEST(RecurrentSequence, WithoutGradientsOfYOnlyTheLastStateCounts) {
  for_each_problem({{3, 5, 4}}, [](Problem p) {
    const Outcome<double> got = run<double>(p, {.keep = true, .du_apart = false, .dy = false});
    std::fill(p.dy.begin(), p.dy.end(), 0.0);
    expect_same_backward(got, run<double>(p), 0);
  });
}

TEST(RecurrentSequence, RowHasTheSameBitsAloneAndAmongOthers) {
  for_each_problem({{4, 33, 17}}, [](const Problem& p) {
    const Outcome<float> all = run<float>(p);
    for (const int64_t row : {0, 1, 8, 31, 32}) {
      // Row `row` of numbers [outer, B, n].
      auto of_row = [&](const auto& numbers, int64_t outer) {
        auto mine = numbers;
        mine.clear();
        const int64_t n = static_cast<int64_t>(numbers.size()) / (outer * p.rows);
        for (int64_t i = 0; i < outer; ++i)
          mine.insert(mine.end(), numbers.begin() + (i * p.rows + row) * n,
                      numbers.begin() + (i * p.rows + row + 1) * n);
        return mine;
      };
      Problem alone = p;
      alone.rows = 1;
      if (!p.lengths.empty()) alone.lengths = {p.lengths[static_cast<size_t>(row)]};
      alone.x = of_row(p.x, p.steps);
      alone.dy = of_row(p.dy, p.steps);
      for (Numbers Problem::*part : {&Problem::state, &Problem::memory, &Problem::dstate, &Problem::dmemory})
        alone.*part = of_row(p.*part, p.directions);
      const Outcome<float> got = run<float>(alone);
      EXPECT_EQ(got.y, of_row(all.y, p.steps));
      EXPECT_EQ(got.state, of_row(all.state, p.directions));
      EXPECT_EQ(got.dx, of_row(all.dx, p.steps));
      EXPECT_EQ(got.dstate, of_row(all.dstate, p.directions));
    }
  });
}

}  // namespace
}  // namespace fovea
