// A model made ready to run: packed weights in one precision, no tape, no gradients. Immutable and safe to use from any number of
// threads. Decoder and Encoder are the two kinds; load.h makes them from a directory, or from a Net that is being trained.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/run/precision.h"

namespace fovea::run {

// What a runner keeps its weights in.
struct Held {
  int64_t f32_bytes = 0, int8_bytes = 0;
  std::vector<std::string> f32_matrices;  // of an int8 model: matrices that are multiplied and stayed f32

  Held& operator+=(const Held& other) {
    f32_bytes += other.f32_bytes;
    int8_bytes += other.int8_bytes;
    f32_matrices.insert(f32_matrices.end(), other.f32_matrices.begin(), other.f32_matrices.end());
    return *this;
  }
};

class Runner {
 public:
  virtual ~Runner() = default;
  Precision precision() const { return precision_; }
  const Held& held() const { return held_; }

 protected:
  Precision precision_ = Precision::kF32;
  Held held_;
};

}  // namespace fovea::run
