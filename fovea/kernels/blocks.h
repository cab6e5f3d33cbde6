// How kernels cut work over threads: by the size of the work alone, never by the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

namespace fovea::kernels {

// Work below this many elements is not worth a second thread.
inline constexpr int64_t kBlockElements = int64_t{1} << 13;

// Rows of `cols` elements that make up one block.
inline int64_t rows_per_block(int64_t cols) {
  return std::max<int64_t>(1, kBlockElements / std::max<int64_t>(1, cols));
}

}  // namespace fovea::kernels
