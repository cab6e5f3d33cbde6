// Elements as array files store them, and their way into a tensor. .npy and .safetensors share this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fovea/base/half.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

struct Encoding {
  enum class Kind : uint8_t { kFloat, kBFloat, kSigned, kUnsigned, kBool };
  Kind kind = Kind::kFloat;
  int bytes = 4;  // kFloat 2 4 8, kBFloat 2, kSigned and kUnsigned 1 2 4 8, kBool 1
  bool big_endian = false;

  // What it becomes: 16-bit floats f32, 64-bit floats f64, uint8 and bool u8, every other integer i32.
  DType dtype() const;
};

// The bytes that `shape` takes, or -1 where that overflows or passes what memory can address (2^46).
// Axes of size 0 do not hide others that are too large.
int64_t encoded_bytes(const Shape& shape, int element_bytes);

// A tensor of shape `shape` from exactly as many bytes as it takes, at any alignment. With `fortran` the
// first axis runs fastest in `bytes`. Integers that do not fit in 32 bits throw "[who] source: ...".
Tensor decode(std::span<const std::byte> bytes, const Shape& shape, const Encoding& encoding, bool fortran,
              std::string_view who, std::string_view source);

// Rounded to the nearest, ties to even.
uint16_t float_to_bfloat(float x);

}  // namespace fovea
