#include "fovea/tensor/encoding.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace fovea {
namespace {

// The element at `from` as a T, its bytes turned round when the file's order is not this machine's.
template <typename T>
T load(const std::byte* from, bool swap) {
  std::array<std::byte, sizeof(T)> raw;
  if (swap) {
    for (size_t i = 0; i < sizeof(T); ++i) raw[i] = from[sizeof(T) - 1 - i];
  } else {
    std::memcpy(raw.data(), from, sizeof(T));
  }
  return std::bit_cast<T>(raw);
}

// Calls store(i, position) for each element i in row-major order, with its position in the file.
template <typename F>
void for_each_position(const Shape& shape, bool fortran, F&& store) {
  const int64_t n = shape.size();
  if (!fortran || shape.rank() < 2) {
    for (int64_t i = 0; i < n; ++i) store(i, i);
    return;
  }
  std::array<int64_t, Shape::kMaxRank> index{}, stride{};
  for (int axis = 0; axis < shape.rank(); ++axis) stride[static_cast<size_t>(axis)] = shape.product(0, axis);
  int64_t position = 0;
  for (int64_t i = 0; i < n; ++i) {
    store(i, position);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const auto a = static_cast<size_t>(axis);
      position += stride[a];
      if (++index[a] < shape[axis]) break;
      position -= stride[a] * shape[axis];
      index[a] = 0;
    }
  }
}

// Reads elements of type From and stores what convert makes of them.
template <typename From, typename To, typename F>
void convert_all(std::span<const std::byte> bytes, Tensor& out, bool swap, bool fortran, F&& convert) {
  if (out.size() == 0) return;
  To* to = out.data<To>();
  if constexpr (std::is_same_v<From, To>) {
    if (!swap && !fortran) return static_cast<void>(std::memcpy(to, bytes.data(), bytes.size()));
  }
  for_each_position(out.shape(), fortran, [&](int64_t i, int64_t position) {
    to[i] = convert(load<From>(bytes.data() + position * static_cast<int64_t>(sizeof(From)), swap));
  });
}

}  // namespace

DType Encoding::dtype() const {
  switch (kind) {
    case Kind::kFloat:
      return bytes == 8 ? DType::kF64 : DType::kF32;
    case Kind::kBFloat:
      return DType::kF32;
    case Kind::kBool:
      return DType::kU8;
    case Kind::kUnsigned:
      return bytes == 1 ? DType::kU8 : DType::kI32;
    case Kind::kSigned:
      break;
  }
  return DType::kI32;
}

int64_t encoded_bytes(const Shape& shape, int element_bytes) {
  int64_t n = element_bytes;
  bool empty = false;
  for (int64_t size : shape) {
    empty = empty || size == 0;
    if (__builtin_mul_overflow(n, std::max<int64_t>(size, 1), &n) || n > (int64_t{1} << 46)) return -1;
  }
  return empty ? 0 : n;
}

uint16_t float_to_bfloat(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  if (x != x) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

Tensor decode(std::span<const std::byte> bytes, const Shape& shape, const Encoding& encoding, bool fortran,
              std::string_view who, std::string_view source) {
  const int64_t expected = encoded_bytes(shape, encoding.bytes);
  check(expected >= 0 && static_cast<size_t>(expected) == bytes.size(), who,
        "{}: {} bytes for shape {} of {} bytes each", source, bytes.size(), shape.str(), encoding.bytes);
  Tensor out = Tensor::empty(shape, encoding.dtype());
  const bool swap = encoding.big_endian != (std::endian::native == std::endian::big);
  const auto same = [](auto x) { return x; };
  const auto fit = [&](auto x) {
    if (!std::in_range<int32_t>(x))
      fail(who, "{}: holds the integer {}, which does not fit in 32 bits", source, x);
    return static_cast<int32_t>(x);
  };
  using Kind = Encoding::Kind;
  switch (encoding.kind) {
    case Kind::kFloat:
      if (encoding.bytes == 8)
        convert_all<double, double>(bytes, out, swap, fortran, same);
      else if (encoding.bytes == 4)
        convert_all<float, float>(bytes, out, swap, fortran, same);
      else
        convert_all<uint16_t, float>(bytes, out, swap, fortran, half_to_float);
      break;
    case Kind::kBFloat:
      convert_all<uint16_t, float>(bytes, out, swap, fortran, [](uint16_t x) {
        return std::bit_cast<float>(static_cast<uint32_t>(x) << 16);
      });
      break;
    case Kind::kBool:
      convert_all<int8_t, uint8_t>(bytes, out, swap, fortran,
                                   [](int8_t x) { return static_cast<uint8_t>(x != 0); });
      break;
    case Kind::kSigned:
      switch (encoding.bytes) {
        case 1:
          convert_all<int8_t, int32_t>(bytes, out, swap, fortran, fit);
          break;
        case 2:
          convert_all<int16_t, int32_t>(bytes, out, swap, fortran, fit);
          break;
        case 4:
          convert_all<int32_t, int32_t>(bytes, out, swap, fortran, same);
          break;
        default:
          convert_all<int64_t, int32_t>(bytes, out, swap, fortran, fit);
      }
      break;
    case Kind::kUnsigned:
      switch (encoding.bytes) {
        case 1:
          convert_all<uint8_t, uint8_t>(bytes, out, swap, fortran, same);
          break;
        case 2:
          convert_all<uint16_t, int32_t>(bytes, out, swap, fortran, fit);
          break;
        case 4:
          convert_all<uint32_t, int32_t>(bytes, out, swap, fortran, fit);
          break;
        default:
          convert_all<uint64_t, int32_t>(bytes, out, swap, fortran, fit);
      }
      break;
  }
  return out;
}

}  // namespace fovea
