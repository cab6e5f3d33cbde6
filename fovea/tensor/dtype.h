// Element types of a tensor.
#pragma once

#include <cstdint>
#include <string_view>

#include "fovea/base/error.h"

namespace fovea {

// f32 is for work, f64 for gradient checks, i32 for ids and lengths, u8 for truth values.
// kNone is the type of a tensor that is not defined: any use of its elements is an error.
enum class DType : uint8_t { kF32, kF64, kI32, kU8, kNone };

inline int64_t size_of(DType type) {
  switch (type) {
    case DType::kF32:
      return 4;
    case DType::kF64:
      return 8;
    case DType::kI32:
      return 4;
    case DType::kU8:
      return 1;
    case DType::kNone:
      return 0;
  }
  return 0;
}

inline std::string_view name_of(DType type) {
  switch (type) {
    case DType::kF32:
      return "f32";
    case DType::kF64:
      return "f64";
    case DType::kI32:
      return "i32";
    case DType::kU8:
      return "u8";
    case DType::kNone:
      return "undefined";
  }
  return "?";
}

template <typename T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<float>() {
  return DType::kF32;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::kF64;
}
template <>
constexpr DType dtype_of<int32_t>() {
  return DType::kI32;
}
template <>
constexpr DType dtype_of<uint8_t>() {
  return DType::kU8;
}

// Calls f(float{}) or f(double{}): how an operation picks the SIMD kernels or the plain f64 ones.
template <typename F>
decltype(auto) for_float(DType type, std::string_view who, F&& f) {
  if (type == DType::kF32) return f(float{});
  check(type == DType::kF64, who, "elements are {}: expected f32 or f64", name_of(type));
  return f(double{});
}

}  // namespace fovea
