// Which SIMD instructions the kernels use: the best that the CPU has and the build was made for, or less
// where FOVEA_SIMD says so.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// The kind in use: "portable", "sse4", "avx2" or "avx512".
std::string simd_name();

// Kernels use at most this kind from now on; "" lifts the limit. Throws Error on an unknown name.
// Not to be called while kernels run on other threads.
void limit_simd(std::string_view name);

// Applies FOVEA_SIMD=portable|sse4|avx2|avx512. The first tensor of a program calls it; a program that wants
// the error for an unknown name earlier may call it before.
void limit_simd_by_environment();

}  // namespace fovea
