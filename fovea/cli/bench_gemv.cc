// Products of a few rows with weights that come from memory, as in a step of decoding: C[m,n] = A[m,k] W[n,k]^T, named
// m x k x n. Each run takes the next of so many copies of W that no cache holds them; the rate is that of reading W.
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <memory>

#include "fovea/cli/bench_cases.h"
#include "fovea/kernels/packed.h"
#include "fovea/kernels/quantized.h"

namespace fovea::cli {
namespace {

struct Size {
  int64_t m, k, n;
};

// Packed weights, many times.
struct Copies {
  std::vector<Tensor> all;
  size_t at = 0;

  explicit Copies(const Tensor& first) {
    constexpr int64_t kBytes = 192 << 20;
    const int64_t bytes = first.size() * static_cast<int64_t>(sizeof(float));
    for (int64_t i = 0; i < kBytes / bytes + 2; ++i) {
      all.push_back(Tensor::empty({first.size()}));
      std::memcpy(all.back().data<float>(), first.data<float>(), static_cast<size_t>(bytes));
    }
  }
  const float* next() { return all[at++ % all.size()].data<float>(); }
};

// pack(w, packed) writes the `bytes` that product(a, packed, c) reads.
template <typename Pack, typename Product>
BenchCase streamed(std::string_view kind, Size size, int64_t bytes, Pack pack, Product product) {
  const auto [m, k, n] = size;
  return {.name = fmt::format("{}/{}x{}x{}", kind, m, k, n),
          .gflop = 2e-9 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n),
          .setup = [=]() -> std::function<void()> {
            const Tensor a = normal_numbers(m * k, 1), w = normal_numbers(n * k, 2),
                         c = Tensor::zeros({m * n});
            const Tensor packed = Tensor::empty({(bytes + 3) / 4});
            pack(w.data<float>(), packed.data<float>());
            const auto copies = std::make_shared<Copies>(packed);
            return [=] { product(a.data<float>(), copies->next(), c.data<float>()); };
          },
          .gbytes = 1e-9 * static_cast<double>(bytes)};
}

BenchCase in_f32(Size size) {
  const auto [m, k, n] = size;
  return streamed(
      "gemv_f32", size, kernels::packed_size(k, n) * static_cast<int64_t>(sizeof(float)),
      [=](const float* w, float* packed) { kernels::pack(true, k, n, w, k, packed); },
      [=](const float* a, const float* packed, float* c) {
        kernels::gemm_packed(false, m, n, k, a, k, packed, nullptr, 0.0f, c, n);
      });
}

BenchCase in_int8(Size size) {
  const auto [m, k, n] = size;
  return streamed(
      "gemv_int8", size, kernels::quantized_size(n, k),
      [=](const float* w, float* packed) {
        kernels::pack_quantized(n, k, w, k, reinterpret_cast<int8_t*>(packed));
      },
      [=](const float* a, const float* packed, float* c) {
        kernels::gemm_quantized(m, n, k, a, k, reinterpret_cast<const int8_t*>(packed), nullptr, 0, c, n);
      });
}

}  // namespace

std::vector<BenchCase> gemv_cases() {
  constexpr Size kSizes[] = {{1, 512, 512},  {1, 512, 2048},  {1, 2048, 512}, {1, 512, 8001}, {1, 768, 768},
                             {1, 768, 3072}, {1, 768, 50257}, {4, 512, 2048}, {32, 512, 2048}};
  std::vector<BenchCase> cases;
  for (const Size size : kSizes) {
    cases.push_back(in_f32(size));
    cases.push_back(in_int8(size));
  }
  return cases;
}

}  // namespace fovea::cli
