#include "fovea/base/parallel.h"

#include <omp.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "fovea/base/error.h"

namespace fovea {
namespace {

std::atomic<int> chosen_threads{0};
thread_local bool inside = false;

// Keeps the first exception that a block throws.
class FirstError {
 public:
  template <typename F>
  void guard(F&& f) noexcept {
    try {
      f();
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

int threads() {
  const int n = chosen_threads.load(std::memory_order_relaxed);
  return n > 0 ? n : omp_get_max_threads();
}

void set_threads(int n) {
  check(n >= 0, "threads", "{} threads were asked for: give 1 or more, or 0 for one per core", n);
  chosen_threads.store(n, std::memory_order_relaxed);
}

namespace detail {

void run_blocks(int64_t blocks, void (*run)(void*, int64_t), void* context) {
  const int64_t workers = blocks < threads() ? blocks : threads();
  if (inside || workers == 1) {
    for (int64_t block = 0; block < blocks; ++block) run(context, block);
    return;
  }
  FirstError error;
#ifdef FOVEA_STD_THREADS  // for ThreadSanitizer, which cannot see into OpenMP's runtime
  std::atomic<int64_t> next{0};
  auto work = [&] {
    inside = true;
    for (int64_t block; (block = next.fetch_add(1)) < blocks;) error.guard([&] { run(context, block); });
    inside = false;
  };
  std::vector<std::thread> others;
  for (int64_t i = 1; i < workers; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
#else
// Always the same number of threads: OpenMP would end those that a smaller team has no use for, and start them anew.
#pragma omp parallel num_threads(threads())
  {
    inside = true;
#pragma omp for schedule(dynamic, 1)
    for (int64_t block = 0; block < blocks; ++block) error.guard([&] { run(context, block); });
    inside = false;
  }
#endif
  error.rethrow();
}

}  // namespace detail
}  // namespace fovea
