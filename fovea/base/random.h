// Random numbers as a pure function of (seed, stream, position): Philox4x32-10 (Salmon et al. 2011).
// There is no state to share or to lose, so results do not depend on threads or on the order of calls.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace fovea {

// Four independent 32-bit words for counter (stream, position) under key `seed`.
inline std::array<uint32_t, 4> philox(uint64_t seed, uint64_t stream, uint64_t position) {
  std::array<uint32_t, 4> x = {static_cast<uint32_t>(position), static_cast<uint32_t>(position >> 32),
                               static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)};
  auto key0 = static_cast<uint32_t>(seed);
  auto key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * x[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * x[2];
    x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ key0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ x[3] ^ key1, static_cast<uint32_t>(a)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return x;
}

// In [0, 1), multiples of 2^-24: exact in f32.
inline float uniform_of(uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }

// A sequence of numbers drawn from one (seed, stream).
class Random {
 public:
  explicit Random(uint64_t seed, uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  uint32_t bits() {
    if (used_ == 4) {
      words_ = philox(seed_, stream_, position_++);
      used_ = 0;
    }
    return words_[used_++];
  }
  float uniform() { return uniform_of(bits()); }
  float uniform(float low, float high) { return low + (high - low) * uniform(); }
  // In [0, n); n must be positive. Unbiased to within n / 2^32.
  int64_t below(int64_t n) {
    return static_cast<int64_t>((static_cast<uint64_t>(bits()) * static_cast<uint64_t>(n)) >> 32);
  }
  // Standard normal, by Box and Muller.
  float normal() {
    const float u = 1.0f - uniform();  // in (0, 1]
    const float angle = 6.2831853f * uniform();
    return std::sqrt(-2.0f * std::log(u)) * std::cos(angle);
  }

 private:
  uint64_t seed_, stream_, position_ = 0;
  std::array<uint32_t, 4> words_{};
  unsigned used_ = 4;
};

}  // namespace fovea
