#include "fovea/base/cpu.h"

#include <array>
#include <cstdlib>

#include "fovea/base/error.h"
#include "hwy/highway.h"
#include "hwy/targets.h"

namespace fovea {
namespace {

// A kind, and every Highway target that goes beyond it.
struct Simd {
  std::string_view name;
  int64_t beyond;
};
constexpr std::array kSimd = {
    Simd{"avx512", 0},
    Simd{"avx2", HWY_AVX3 | HWY_AVX3_DL},
    Simd{"sse4", HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL},
    Simd{"portable", HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL},
};

}  // namespace

std::string simd_name() {
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  const int64_t best = usable & -usable;  // better targets have lower bits
  std::string_view name = kSimd[0].name;
  for (const Simd& simd : kSimd)
    if ((best & simd.beyond) == 0) name = simd.name;
  return std::string(name);
}

void limit_simd(std::string_view name) {
  if (name.empty()) return hwy::DisableTargets(0);
  for (const Simd& simd : kSimd)
    if (simd.name == name) return hwy::DisableTargets(simd.beyond);
  fail("simd", "FOVEA_SIMD is \"{}\": expected portable, sse4, avx2 or avx512", name);
}

void limit_simd_by_environment() {
  if (const char* name = std::getenv("FOVEA_SIMD")) limit_simd(name);
}

}  // namespace fovea
