// Memory that is taken in many parts and given back at once (the weights of a runner, the cache of a session), from few large blocks. Large
// blocks lie in huge pages, which a system fills sooner and a CPU finds sooner.
#pragma once

#include <cstddef>

#include "fovea/tensor/storage.h"

namespace fovea::run {

// A part of a block, which it keeps alive.
struct Piece {
  Storage block;
  std::byte* data = nullptr;
  size_t bytes = 0;

  // A block of its own.
  static Piece alone(size_t bytes);
  bool defined() const { return data != nullptr; }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

// One thread at a time.
class Arena {
 public:
  // Not initialised, aligned to 64 bytes.
  Piece take(size_t bytes);

 private:
  Storage block_;
  size_t used_ = 0, size_ = 0;
  size_t taken_ = 0;  // from all blocks
};

}  // namespace fovea::run
