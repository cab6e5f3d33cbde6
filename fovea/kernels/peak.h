// The machine's limit, measured: what figures are held against. Both use threads() threads and the best of
// several rounds.
#pragma once

namespace fovea::kernels {

// f32 multiply-adds from registers, with the SIMD instructions that the kernels use; each counts as 2. Takes
// about 0.2 s.
double peak_gflops();

// a[i] = b[i] + s * c[i] over arrays larger than the caches: gigabytes read and written a second. Takes about
// 0.3 s.
double peak_memory_gbs();

}  // namespace fovea::kernels
