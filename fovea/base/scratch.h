// Short-lived working memory for kernels: each thread keeps what it once needed, so nothing is taken from the
// system after the first call.
//
//   Scratch scratch;
//   float* row = scratch.take<float>(n);     // valid until `scratch` goes out of scope
#pragma once

#include <cstddef>
#include <cstdint>

namespace fovea {

class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // n elements, aligned to 64 bytes, not initialised. Throws Error when the system has no more memory.
  template <typename T>
  T* take(int64_t n) {
    return static_cast<T*>(take_bytes(static_cast<size_t>(n) * sizeof(T)));
  }

 private:
  void* take_bytes(size_t bytes);

  size_t block_, used_;  // where this thread's arena stood when the scope began
};

}  // namespace fovea
