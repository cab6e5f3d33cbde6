// Times every row of the case table (tests/autograd/all_cases.h) on its largest shapes, forward and backward,
// and what the tape costs on tensors of one element.
//   bench_ops --benchmark_filter=matmul
#include <benchmark/benchmark.h>

#include "fovea/autograd/arithmetic.h"
#include "fovea/base/cpu.h"
#include "fovea/base/parallel.h"
#include "tests/autograd/all_cases.h"

namespace fovea::testing {
namespace {

void run_case(benchmark::State& state, const OpCase& row, const Shapes& shapes, bool backward) {
  const std::vector<Tensor> inputs = make_inputs(row, shapes, DType::kF32, 1);
  std::vector<Tensor> grads(inputs.size());
  Tensor dy;
  int64_t bytes = 0;
  for (const Tensor& x : inputs) bytes += x.bytes();
  for (auto _ : state) {
    autograd::Tape tape;
    std::vector<Var> vars;
    for (size_t i = 0; i < inputs.size(); ++i)
      vars.push_back(backward && inputs[i].is_float() ? autograd::variable(inputs[i], grads[i])
                                                      : Var(inputs[i]));
    const Var y = row.run(vars);
    if (!dy.defined()) dy = Tensor::full(y.shape(), 1, y.dtype());
    if (y.node()) tape.backward(y, dy);
    benchmark::DoNotOptimize(y.value().bytes_data());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * (bytes + dy.bytes()));
}

// The time of one operation on one element: computed, recorded, and run backward.
void tape_overhead(benchmark::State& state) {
  constexpr int kOperations = 1000;
  const Tensor one = Tensor::full({1}, 1);
  for (auto _ : state) {
    Tensor grad;
    autograd::Tape tape;
    Var y = autograd::variable(one, grad);
    for (int i = 0; i < kOperations; ++i) y = autograd::scale(y, 1.0);
    tape.backward(y);
    benchmark::DoNotOptimize(grad.item());
  }
  state.counters["per_operation"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kOperations,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(tape_overhead);

}  // namespace
}  // namespace fovea::testing

int main(int argc, char** argv) {
  using namespace fovea;
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("simd", simd_name());
  benchmark::AddCustomContext("threads", std::to_string(threads()));
  for (const testing::OpCase& row : testing::all_cases()) {
    const testing::Shapes shapes = row.large.empty() ? row.shapes.back() : row.large.back();
    for (const bool backward : {false, true}) {
      benchmark::RegisterBenchmark(
          (row.name + (backward ? "/both " : "/forward ") + testing::describe(shapes)).c_str(),
          [row, shapes, backward](benchmark::State& state) {
            testing::run_case(state, row, shapes, backward);
          })
          ->UseRealTime();
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
