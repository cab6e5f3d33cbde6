#include <gtest/gtest.h>

#include <array>

#include "fovea/base/parallel.h"
#include "fovea/kernels/recurrent.h"
#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

using kernels::Cell;
using kernels::CellStep;
using kernels::CellStepGrads;
using kernels::gates_of;

constexpr uint64_t kSeed = 41;
constexpr int64_t kRows = 3, kGap = 5;  // rows of x and dx lie further apart than they are wide
constexpr std::array<Cell, 3> kCells = {Cell::kTanh, Cell::kGru, Cell::kLstm};

// One step of some rows, forward and backward, and what it writes.
struct Step {
  Cell cell;
  int64_t rows, width, wide, ldx;
  Guarded x, u, h, c, dh_next, dc_next;
  Guarded gates, h_next, c_next, dx, du, dh, dc;

  Step(Cell which, int64_t rows_, int64_t width_, int64_t offset)
      : cell(which),
        rows(rows_),
        width(width_),
        wide(gates_of(which) * width_),
        ldx(wide + kGap),
        x(rows * ldx, offset),
        u(rows * wide, offset),
        h(rows * width, offset),
        c(rows * width, offset),
        dh_next(rows * width, offset),
        dc_next(rows * width, offset),
        gates(rows * wide, offset),
        h_next(rows * width, offset),
        c_next(rows * width, offset),
        dx(rows * ldx, offset, 7),
        du(rows * wide, offset),
        dh(rows * width, offset),
        dc(rows * width, offset) {}

  // Infinities and NaN come in through x: a state is finite, or the run is lost already.
  void fill(Numbers kind, uint64_t seed) {
    const Numbers finite = kind == Numbers::kNormal ? kind : Numbers::kWide;
    x.fill(kind, seed);
    u.fill(finite, seed + 1);
    h.fill(finite, seed + 2);
    c.fill(finite, seed + 3);
    dh_next.fill(finite, seed + 4);
    dc_next.fill(finite, seed + 5);
  }
  CellStep<float> forward() {
    const bool lstm = cell == Cell::kLstm;
    return {x.data(),
            ldx,
            u.data(),
            h.data(),
            lstm ? c.data() : nullptr,
            h_next.data(),
            lstm ? c_next.data() : nullptr,
            gates.data()};
  }
  CellStepGrads<float> backward() {
    const bool gru = cell == Cell::kGru, lstm = cell == Cell::kLstm;
    auto only = [](bool wanted, Guarded& array) { return wanted ? array.data() : nullptr; };
    return {gates.data(),   only(gru, u),        only(gru, h), only(lstm, c), only(lstm, c_next),
            dh_next.data(), only(lstm, dc_next), dx.data(),    ldx,           du.data(),
            dh.data(),      only(lstm, dc)};
  }
};

// |got - want| <= slack(row, column); NaN only where NaN is wanted.
template <typename F>
::testing::AssertionResult near(const char* what, const Step& step, const float* got, const float* want,
                                int64_t ld, F&& slack) {
  for (int64_t r = 0; r < step.rows; ++r)
    for (int64_t j = 0; j < step.width; ++j) {
      const double a = got[r * ld + j], b = want[r * ld + j];
      if (std::isnan(b) ? !std::isnan(a) : !(std::abs(a - b) <= slack(r * step.width + j)))
        return ::testing::AssertionFailure()
               << what << " of row " << r << ", column " << j << " is " << a << ", the plain twin's is " << b;
    }
  return ::testing::AssertionSuccess();
}

// A gate is good to 5e-7, and what it multiplies may be large: errors are held against that.
void expect_same_forward(const Step& got, const Step& want) {
  const bool gru = got.cell == Cell::kGru, lstm = got.cell == Cell::kLstm;
  const int64_t n = got.width;
  auto u_n = [&](int64_t at) { return std::abs(got.u.data()[at / n * got.wide + 2 * n + at % n]); };
  auto fresh = [&](int64_t at) { return 1e-6 * (1 + u_n(at)); };
  for (int64_t gate = 0; gate < gates_of(got.cell); ++gate)
    EXPECT_TRUE(near("a gate", got, got.gates.data() + gate * n, want.gates.data() + gate * n, got.wide,
                     [&](int64_t at) { return gru && gate == 2 ? fresh(at) : 1e-6; }));
  auto cell = [&](int64_t at) { return 1e-6 * (1 + std::abs(got.c.data()[at])); };
  if (lstm) {
    EXPECT_TRUE(near("c", got, got.c_next.data(), want.c_next.data(), n, cell));
  }
  EXPECT_TRUE(near("h", got, got.h_next.data(), want.h_next.data(), n, [&](int64_t at) {
    return gru ? fresh(at) + 1e-6 * std::abs(got.h.data()[at]) : lstm ? 1e-6 + cell(at) : 1e-6;
  }));
}

void expect_same_backward(const Step& got, const Step& want) {
  const bool gru = got.cell == Cell::kGru, lstm = got.cell == Cell::kLstm;
  const int64_t n = got.width;
  auto size = [](const Guarded& x, int64_t at) { return static_cast<double>(std::abs(x.data()[at])); };
  auto reached = [&](int64_t at) {
    return 1e-6 * (size(got.dh_next, at) + (lstm ? size(got.dc_next, at) : 0));
  };
  for (int64_t gate = 0; gate < gates_of(got.cell); ++gate) {
    auto slack = [&](int64_t at) {
      if (gru && gate == 0) return reached(at) * (1 + size(got.u, at / n * got.wide + 2 * n + at % n));
      if (gru && gate == 1) return reached(at) * (1 + size(got.h, at));
      if (lstm && gate == 1) return reached(at) * (1 + size(got.c, at));
      return reached(at);
    };
    EXPECT_TRUE(near("dx", got, got.dx.data() + gate * n, want.dx.data() + gate * n, got.ldx, slack)) << gate;
    EXPECT_TRUE(near("du", got, got.du.data() + gate * n, want.du.data() + gate * n, got.wide, slack))
        << gate;
  }
  EXPECT_TRUE(near("dh", got, got.dh.data(), want.dh.data(), n, reached));
  if (lstm) {
    EXPECT_TRUE(near("dc", got, got.dc.data(), want.dc.data(), n, reached));
  }
  for (int64_t r = 0; r < got.rows; ++r)
    for (int64_t j = got.wide; j < got.ldx; ++j)
      ASSERT_EQ(got.dx.data()[r * got.ldx + j], 7) << "between the rows of dx";
}

TEST(RecurrentCell, SimdAgreesWithPlainLoops) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      for (const Cell cell : kCells)
        for (const Numbers kind : kAllNumbers) {
          SCOPED_TRACE(::testing::Message()
                       << "cell " << static_cast<int>(cell) << ", numbers " << static_cast<int>(kind));
          Step got(cell, kRows, n, offset), want(cell, kRows, n, 0);
          got.fill(kind, kSeed);
          want.fill(kind, kSeed);
          kernels::cell_forward(cell, kRows, n, got.forward());
          kernels::ref::cell_forward(cell, kRows, n, want.forward());
          expect_same_forward(got, want);
        }
    });
  });
}

TEST(RecurrentCell, SimdBackwardAgreesWithPlainLoops) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      for (const Cell cell : kCells)
        for (const Numbers kind :
             {Numbers::kNormal, Numbers::kWide}) {  // of wide numbers, gates are open or shut
          SCOPED_TRACE(::testing::Message()
                       << "cell " << static_cast<int>(cell) << ", numbers " << static_cast<int>(kind));
          Step got(cell, kRows, n, offset), want(cell, kRows, n, 0);
          for (Step* step : {&got, &want}) {
            step->fill(kind, kSeed);
            kernels::ref::cell_forward(cell, kRows, n, step->forward());
          }
          kernels::cell_backward(cell, kRows, n, got.backward());
          kernels::ref::cell_backward(cell, kRows, n, want.backward());
          expect_same_backward(got, want);
        }
    });
  });
}

TEST(RecurrentCell, BackwardOfPlainLoopsIsTheSlopeOfForward) {
  constexpr int64_t kWidth = 2;
  for (const Cell cell : kCells) {
    SCOPED_TRACE(static_cast<int>(cell));
    const int64_t wide = gates_of(cell) * kWidth;
    const bool lstm = cell == Cell::kLstm;
    Random random(kSeed);
    auto normals = [&](int64_t n) {
      std::vector<double> x(static_cast<size_t>(n));
      for (double& v : x) v = random.normal();
      return x;
    };
    std::vector<double> x = normals(wide), u = normals(wide), h = normals(kWidth), c = normals(kWidth);
    const std::vector<double> dh_next = normals(kWidth), dc_next = normals(kWidth);
    std::vector<double> h_next(kWidth), c_next(kWidth), gates(static_cast<size_t>(wide));
    auto run = [&] {
      kernels::cell_forward(cell, 1, kWidth,
                            CellStep<double>{x.data(), wide, u.data(), h.data(), c.data(), h_next.data(),
                                             c_next.data(), gates.data()});
      double sum = 0;
      for (size_t j = 0; j < kWidth; ++j) sum += h_next[j] * dh_next[j] + (lstm ? c_next[j] * dc_next[j] : 0);
      return sum;
    };
    run();
    std::vector<double> dx(x.size()), du(u.size()), dh(kWidth), dc(kWidth);
    kernels::cell_backward(
        cell, 1, kWidth,
        CellStepGrads<double>{gates.data(), u.data(), h.data(), c.data(), c_next.data(), dh_next.data(),
                              dc_next.data(), dx.data(), wide, du.data(), dh.data(), dc.data()});
    auto expect_slope = [&](std::vector<double>& at, const std::vector<double>& grad, const char* what) {
      for (size_t i = 0; i < at.size(); ++i) {
        constexpr double kStep = 1e-5;
        const double before = at[i];
        at[i] = before + kStep;
        const double up = run();
        at[i] = before - kStep;
        const double down = run();
        at[i] = before;
        EXPECT_NEAR(grad[i], (up - down) / (2 * kStep), 1e-8) << what << " " << i;
      }
    };
    expect_slope(x, dx, "x");
    expect_slope(u, du, "u");
    expect_slope(h, dh, "h");
    if (lstm) expect_slope(c, dc, "c");
  }
}

TEST(RecurrentCell, ArraysThatMayBeOneAndTheSameAre) {
  for_each_simd_target([] {
    for (const Cell cell : kCells)
      for (const int64_t n : {1, 7, 16, 67})
        for (const bool plain : {false, true}) {
          Step apart(cell, kRows, n, 0), shared(cell, kRows, n, 1);
          apart.fill(Numbers::kNormal, kSeed);
          shared.fill(Numbers::kNormal, kSeed);
          auto forward = [&](const CellStep<float>& s) {
            plain ? kernels::ref::cell_forward(cell, kRows, n, s) : kernels::cell_forward(cell, kRows, n, s);
          };
          auto backward = [&](const CellStepGrads<float>& g) {
            plain ? kernels::ref::cell_backward(cell, kRows, n, g)
                  : kernels::cell_backward(cell, kRows, n, g);
          };
          forward(apart.forward());
          CellStep<float> step = shared.forward();
          step.gates = shared.u.data();
          forward(step);
          EXPECT_TRUE(same_numbers(shared.u, apart.gates, 0, 0));
          EXPECT_TRUE(same_numbers(shared.h_next, apart.h_next, 0, 0));
          EXPECT_TRUE(same_numbers(shared.c_next, apart.c_next, 0, 0));

          backward(apart.backward());
          shared.fill(Numbers::kNormal, kSeed);
          forward(shared.forward());
          CellStepGrads<float> grads = shared.backward();
          grads.u = grads.du = shared.u.data();
          grads.dc = cell == Cell::kLstm ? shared.dc_next.data() : nullptr;
          grads.dh = nullptr;  // not wanted
          backward(grads);
          EXPECT_TRUE(same_numbers(shared.dx, apart.dx, 0, 0));
          EXPECT_TRUE(same_numbers(shared.u, apart.du, 0, 0));
          if (cell == Cell::kLstm) {
            EXPECT_TRUE(same_numbers(shared.dc_next, apart.dc, 0, 0));
          }
        }
  });
}

TEST(RecurrentCell, RowHasTheSameBitsAloneAndAmongOthersOnAnyNumberOfThreads) {
  constexpr int64_t kMany = 9, kWidth = 1001;  // more than one thread's share
  for (const Cell cell : kCells) {
    Step all(cell, kMany, kWidth, 0);
    all.fill(Numbers::kNormal, kSeed);
    auto run = [&](Step& step) {
      kernels::cell_forward(cell, step.rows, kWidth, step.forward());
      kernels::cell_backward(cell, step.rows, kWidth, step.backward());
    };
    set_threads(1);
    run(all);
    Step again(cell, kMany, kWidth, 0);
    again.fill(Numbers::kNormal, kSeed);
    set_threads(2);
    run(again);
    set_threads(0);
    EXPECT_TRUE(same_numbers(again.h_next, all.h_next, 0, 0));
    EXPECT_TRUE(same_numbers(again.dx, all.dx, 0, 0));
    EXPECT_TRUE(same_numbers(again.du, all.du, 0, 0));
    for (int64_t r = 0; r < kMany; ++r) {
      Step one(cell, 1, kWidth, 0);
      std::copy_n(all.x.data() + r * all.ldx, one.ldx, one.x.data());
      std::copy_n(all.u.data() + r * all.wide, one.wide, one.u.data());
      for (auto [from, to] : {std::pair{&all.h, &one.h},
                              {&all.c, &one.c},
                              {&all.dh_next, &one.dh_next},
                              {&all.dc_next, &one.dc_next}})
        std::copy_n(from->data() + r * kWidth, kWidth, to->data());
      run(one);
      auto row = [r](const Guarded& x, int64_t n) {
        return x.span().subspan(static_cast<size_t>(r * n), static_cast<size_t>(n));
      };
      EXPECT_TRUE(same_numbers(one.h_next.span(), row(all.h_next, kWidth), 0, 0));
      EXPECT_TRUE(same_numbers(one.dx.span(), row(all.dx, all.ldx), 0, 0));
      EXPECT_TRUE(same_numbers(one.dh.span(), row(all.dh, kWidth), 0, 0));
    }
  }
}

}  // namespace
}  // namespace fovea::testing
