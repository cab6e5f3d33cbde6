// A decode step's attention over the key/value cache: every layer of a model reads all its tokens for one query. The rate is that of
// reading keys and values.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>

#include "fovea/cli/bench_cases.h"
#include "fovea/kernels/attend_cached.h"

namespace fovea::cli {
namespace {

using kernels::CacheRows;
using kernels::CacheType;
using kernels::kCachePage;

struct CachedSize {
  int64_t layers, H, G, D, tokens;
};

// Each page holds the keys and values of every layer.
struct CachedRun {
  CachedSize size;
  std::vector<CacheRows> keys, values;
  std::vector<Tensor> memory;
  std::vector<const void*> pages;
  Tensor q, out;

  CachedRun(CachedSize s, CacheType type)
      : size(s), q(normal_numbers(s.H * s.D, 1)), out(Tensor::zeros({s.H * s.D})) {
    int64_t elements = 0;
    for (int64_t i = 0; i < 2 * s.layers; ++i) {
      (i % 2 == 0 ? keys : values).push_back({.type = type, .heads = s.G, .width = s.D, .offset = elements});
      elements += s.G * s.D * kCachePage;
    }
    const Tensor rows = normal_numbers(kCachePage * s.G * s.D, 2);
    for (int64_t t = 0; t < s.tokens; t += kCachePage) {
      memory.push_back(Tensor::empty({elements * kernels::bytes_of(type) / 4}));
      void* page = memory.back().data<float>();
      pages.push_back(page);
      for (const CacheRows& k : keys)
        kernels::write_cached_keys(k, &page, 0, kCachePage, rows.data<float>(), s.G * s.D);
      for (const CacheRows& v : values)
        kernels::write_cached_values(v, &page, 0, kCachePage, rows.data<float>(), s.G * s.D);
    }
  }

  void step() const {
    const void* const* table = pages.data();
    const auto last = static_cast<int32_t>(size.tokens);
    kernels::AttendCached a;
    a.queries = 1;
    a.H = size.H;
    a.scale = 1 / std::sqrt(static_cast<float>(size.D));
    a.q = q.data<float>();
    a.key_pages = a.value_pages = &table;
    a.last = &last;
    a.out = out.data<float>();
    for (int64_t layer = 0; layer < size.layers; ++layer) {
      a.keys = keys[static_cast<size_t>(layer)];
      a.values = values[static_cast<size_t>(layer)];
      kernels::attend_cached(a);
    }
  }
};

BenchCase cached(CachedSize s, CacheType type) {
  const auto elements = static_cast<double>(s.layers * s.tokens * s.G * 2 * s.D);
  return {.name = fmt::format("cached_{}/{}x{}x{}x{}x{}", type == CacheType::kF32 ? "f32" : "f16", s.layers,
                              s.H, s.G, s.D, s.tokens),
          .gflop = 2e-9 * elements * static_cast<double>(s.H / s.G),
          .setup = [=]() -> std::function<void()> {
            const auto run = std::make_shared<CachedRun>(s, type);
            return [run] { run->step(); };
          },
          .gbytes = 1e-9 * elements* static_cast<double>(kernels::bytes_of(type))};
}

}  // namespace

// Named layers x query heads x key/value heads x width of a head x tokens: a small Llama, GPT-2.
std::vector<BenchCase> cached_cases() {
  std::vector<BenchCase> cases;
  for (const CachedSize& size : {CachedSize{30, 9, 3, 64, 2200}, {30, 9, 3, 64, 128}, {12, 12, 12, 64, 1024}})
    for (const CacheType type : {CacheType::kF32, CacheType::kF16}) cases.push_back(cached(size, type));
  return cases;
}

}  // namespace fovea::cli
