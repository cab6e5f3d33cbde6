// Matrix products C[m,n] = A[m,k] B[k,n] of the sizes that models have.
#include <fmt/format.h>

#include <cstdint>

#include "fovea/cli/bench_cases.h"
#include "fovea/kernels/gemm.h"

namespace fovea::cli {
namespace {

BenchCase product(int64_t m, int64_t k, int64_t n) {
  return {.name = fmt::format("gemm/{}x{}x{}", m, k, n),
          .gflop = 2e-9 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n),
          .setup = [=]() -> std::function<void()> {
            const Tensor a = normal_numbers(m * k, 1), b = normal_numbers(k * n, 2),
                         c = Tensor::zeros({m * n});
            return [=] {
              kernels::gemm(false, false, m, n, k, 1.0f, a.data<float>(), k, b.data<float>(), n, 0.0f,
                            c.data<float>(), n);
            };
          }};
}

}  // namespace

std::vector<BenchCase> gemm_cases() {
  return {
      product(2048, 2048, 2048), product(768, 128, 512), product(512, 512, 2048), product(1024, 512, 512),
      product(4096, 384, 1536),  product(64, 64, 64),    product(1, 512, 2048),
  };
}

}  // namespace fovea::cli
