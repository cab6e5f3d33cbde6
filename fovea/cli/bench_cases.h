// What `fovea bench` times: one table a group, in bench_GROUP.cc.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea::cli {

struct BenchCase {
  std::string name;  // kind/sizes
  double gflop;      // the work of one run, in 1e9 floating-point operations
  // Makes the inputs. What it returns is one run, which is timed.
  std::function<std::function<void()>()> setup;
  double gelements = 0;  // not 0: the work in 1e9 elements, which then is what the table's rate counts
  double gbytes = 0;     // not 0: what it has to read, in 1e9 bytes, and the table's rate counts those
  bool is_long = false;  // runs when asked for, once, and its extra memory is measured
};

struct BenchGroup {
  std::string_view name;
  std::vector<BenchCase> (*cases)();
};
std::span<const BenchGroup> bench_groups();

std::vector<BenchCase> attention_cases();
std::vector<BenchCase> cached_cases();
std::vector<BenchCase> convolution_cases();
std::vector<BenchCase> gemm_cases();
std::vector<BenchCase> gemv_cases();
std::vector<BenchCase> picture_cases();
std::vector<BenchCase> training_cases();
std::vector<BenchCase> decoding_cases();
std::vector<BenchCase> running_cases();  // part of the group decoding
std::vector<BenchCase> embedding_cases();

// n numbers from a standard normal distribution, in the engine's own memory.
Tensor normal_numbers(int64_t n, uint64_t seed);

}  // namespace fovea::cli
