#include "fovea/base/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "fovea/base/error.h"

// A pool of threads that wait for the next piece of work by watching for it for a short while, and then sleep. Kernels follow each
// other within microseconds, so the short while is what makes them fast; and because it is short, a machine that others use, too, is
// not kept busy by waiting. (OpenMP's runtime watches for milliseconds: training beside a compiler ran at a quarter of the speed.)

namespace fovea {
namespace {

std::atomic<int> chosen_threads{0};
thread_local bool inside = false;

// What OMP_NUM_THREADS says, else the processors this process may use.
int default_threads() {
  static const int count = [] {
    if (const char* text = std::getenv("OMP_NUM_THREADS")) {
      const int n = std::atoi(text);
      if (n > 0) return std::min(n, 1024);
    }
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }();
  return count;
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Waits until value is no longer `old`: watching first, then asleep.
template <typename T>
T wait_for_change(const std::atomic<T>& value, T old) {
  constexpr int kLooks = 2000;  // some 40 microseconds
  for (int i = 0; i < kLooks; ++i) {
    const T now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    pause();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

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

struct Job {
  void (*run)(void*, int64_t);
  void* context;
  int64_t blocks;
  FirstError error;
  std::atomic<int64_t> next{0};
};

class Pool {
 public:
  // False where another thread has the pool: its caller then works alone.
  bool run(Job& job, int count) {
    std::unique_lock<std::mutex> lock(busy_, std::try_to_lock);
    if (!lock) return false;
    while (static_cast<int>(workers_.size()) < count - 1 && !exhausted_) start_worker();
    wanted_.store(count - 1, std::memory_order_relaxed);
    {
      std::lock_guard<std::mutex> open(mutex_);
      job_ = &job;
    }
    calls_.fetch_add(1, std::memory_order_release);
    calls_.notify_all();
    work(job);
    {
      std::lock_guard<std::mutex> close(mutex_);  // nobody takes it from now on
      job_ = nullptr;
    }
    for (int left; (left = helpers_.load(std::memory_order_acquire)) > 0;) wait_for_change(helpers_, left);
    return true;
  }

  static void work(Job& job) {
    inside = true;
    for (int64_t block; (block = job.next.fetch_add(1, std::memory_order_relaxed)) < job.blocks;)
      job.error.guard([&] { job.run(job.context, block); });
    inside = false;
  }

 private:
  // Where the system has no more threads, those that there are do the work.
  void start_worker() {
    try {
      workers_.emplace_back([this, index = static_cast<int>(workers_.size())] { serve(index); });
    } catch (const std::system_error&) {
      exhausted_ = true;
    }
  }

  void serve(int index) {
    uint32_t seen = 0;
    for (;;) {
      seen = wait_for_change(calls_, seen);
      if (index >= wanted_.load(std::memory_order_relaxed)) continue;
      Job* job = nullptr;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        job = job_;
        if (job) helpers_.fetch_add(1, std::memory_order_relaxed);
      }
      if (!job) continue;
      work(*job);
      helpers_.fetch_sub(1, std::memory_order_release);  // from here on the job may be gone
      helpers_.notify_all();
    }
  }

  std::mutex busy_, mutex_;
  std::vector<std::thread> workers_;
  bool exhausted_ = false;
  std::atomic<uint32_t> calls_{0};
  std::atomic<int> wanted_{0};
  std::atomic<int> helpers_{0};  // threads that hold a pointer to the job
  Job* job_ = nullptr;           // guarded by mutex_
};

// Never destroyed: threads may still work when main returns. A child of fork has none of the threads, and begins with a new pool.
std::atomic<Pool*> the_pool{nullptr};

Pool& pool() {
  static const bool made = [] {
    the_pool.store(new Pool);
    return pthread_atfork(nullptr, nullptr, [] { the_pool.store(new Pool); }) == 0;
  }();
  static_cast<void>(made);
  return *the_pool.load(std::memory_order_acquire);
}

}  // namespace

int threads() {
  const int n = chosen_threads.load(std::memory_order_relaxed);
  return n > 0 ? n : default_threads();
}

void set_threads(int n) {
  constexpr int kMost = 1024;
  check(n >= 0 && n <= kMost, "threads", "{} threads: expected 1 to {}, or 0 for one per core", n, kMost);
  chosen_threads.store(n, std::memory_order_relaxed);
}

namespace detail {

void run_blocks(int64_t blocks, void (*run)(void*, int64_t), void* context) {
  const int count = threads();
  if (inside || count == 1) {
    for (int64_t block = 0; block < blocks; ++block) run(context, block);
    return;
  }
  Job job{run, context, blocks, {}};
  if (!pool().run(job, count)) Pool::work(job);
  job.error.rethrow();
}

}  // namespace detail
}  // namespace fovea
