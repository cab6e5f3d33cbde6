#include "fovea/cli/bench_cases.h"

#include "fovea/base/parallel.h"
#include "fovea/base/random.h"

namespace fovea::cli {
namespace {

constexpr BenchGroup kGroups[] = {
    {"attention", attention_cases}, {"cached", cached_cases},           {"gemm", gemm_cases},
    {"gemv", gemv_cases},           {"training", training_cases},       {"decoding", decoding_cases},
    {"embedding", embedding_cases}, {"convolution", convolution_cases}, {"pictures", picture_cases},
};

}  // namespace

std::span<const BenchGroup> bench_groups() { return kGroups; }

Tensor normal_numbers(int64_t n, uint64_t seed) {
  constexpr int64_t kGrain = 1 << 14;
  Tensor numbers = Tensor::empty({n});
  float* to = numbers.data<float>();
  parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
    Random random(seed, static_cast<uint64_t>(begin));
    for (int64_t i = begin; i < end; ++i) to[i] = random.normal();
  });
  return numbers;
}

}  // namespace fovea::cli
