// Work spread over threads in blocks. How the work is cut is the caller's choice and must not depend on the
// number of threads: then every result has the same bits on one thread or several.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "fovea/base/exception.h"

namespace fovea {

// The number of threads parallel work uses: set_threads (0: not set), else OMP_NUM_THREADS, else one per core.
int threads();
FOVEA_API void set_threads(int n);

namespace detail {
void run_blocks(int64_t blocks, void (*run)(void*, int64_t), void* context);
}

// Calls f(block) for every block in [0, blocks), in any order, on any thread; returns when all are done.
// Inside another parallel_for it runs on the calling thread. The first exception thrown by f is rethrown.
template <typename F>
void parallel_for(int64_t blocks, F&& f) {
  if (blocks <= 0) return;
  if (blocks == 1) return static_cast<void>(f(int64_t{0}));
  using Function = std::remove_reference_t<F>;
  detail::run_blocks(
      blocks, [](void* context, int64_t block) { (*static_cast<Function*>(context))(block); },
      const_cast<void*>(static_cast<const void*>(std::addressof(f))));
}

// Cuts [0, n) into runs of `grain` and calls f(begin, end) for each.
template <typename F>
void parallel_ranges(int64_t n, int64_t grain, F&& f) {
  const int64_t blocks = (n + grain - 1) / grain;
  parallel_for(blocks, [&](int64_t block) {
    const int64_t begin = block * grain;
    f(begin, begin + grain < n ? begin + grain : n);
  });
}

}  // namespace fovea
