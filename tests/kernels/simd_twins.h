// A SIMD kernel and its plain twin must agree: on every instruction set this CPU has, at every size around a
// vector's length, wherever the arrays lie, and for every kind of number.
//
//   for_each_simd_target([] {
//     for_each_twin([](int64_t n, int64_t offset) {
//       for (Numbers kind : kAllNumbers) {
//         Guarded x(n, offset), got(n, offset), want(n, 0);
//         x.fill(kind, seed);
//         kernels::exp(x.data(), got.data(), n);
//         kernels::ref::exp(x.data(), want.data(), n);
//         EXPECT_TRUE(same_numbers(got, want, 1e-6));
//       }
//     });
//   });
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fovea/base/cpu.h"
#include "fovea/base/random.h"
#include "hwy/targets.h"

namespace fovea::testing {

// Calls check() once for each target that the CPU has and the build was made for, with kernels forced to it.
// The portable one is always among them.
template <typename F>
void for_each_simd_target(F&& check) {
  struct Reset {
    ~Reset() { hwy::SetSupportedTargetsForTest(0); }
  } reset;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(::testing::Message() << "SIMD " << simd_name());
    check();
  }
}

// Calls f(n, offset) with sizes from 0 to 3 past two vectors of the widest target (16 floats), some larger
// odd ones, and arrays that start 0 to 3 floats after an aligned address.
template <typename F>
void for_each_twin(F&& f) {
  std::vector<int64_t> sizes;
  for (int64_t n = 0; n <= 2 * 16 + 3; ++n) sizes.push_back(n);
  for (int64_t n : {63, 65, 100, 127, 257, 1001}) sizes.push_back(n);
  for (const int64_t n : sizes) {
    for (int64_t offset = 0; offset < 4; ++offset) {
      SCOPED_TRACE(::testing::Message() << "n " << n << ", offset " << offset);
      f(n, offset);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

enum class Numbers {
  kNormal,   // standard normal
  kWide,     // both signs, exponents from 2^-40 to 2^40
  kSpecial,  // those, and denormals, both zeros, both infinities, the largest and smallest numbers; no NaN
  kNan       // those, and NaN
};
inline constexpr Numbers kAllNumbers[] = {Numbers::kNormal, Numbers::kWide, Numbers::kSpecial, Numbers::kNan};

// An array of n floats, `offset` floats after a 64-byte boundary, with marked floats on both sides that
// nobody may change: ~Guarded fails the test when they did.
class Guarded {
 public:
  Guarded(int64_t n, int64_t offset, float value = 0)
      : n_(n), memory_(static_cast<size_t>(n) + 2 * kGuard + 32) {
    const auto address = reinterpret_cast<uintptr_t>(memory_.data());
    const uintptr_t to_boundary = (64 - address % 64) % 64 / sizeof(float);
    start_ = static_cast<int64_t>(to_boundary) + kGuard + offset;
    std::fill(memory_.begin(), memory_.end(), kMark);
    std::fill_n(data(), n, value);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() {
    const auto marked = [](float x) { return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(kMark); };
    EXPECT_TRUE(std::all_of(memory_.begin(), memory_.begin() + start_, marked)) << "written before the array";
    EXPECT_TRUE(std::all_of(memory_.begin() + start_ + n_, memory_.end(), marked))
        << "written past the array";
  }

  float* data() { return memory_.data() + start_; }
  const float* data() const { return memory_.data() + start_; }
  int64_t size() const { return n_; }
  std::span<const float> span() const { return {data(), static_cast<size_t>(n_)}; }

  void fill(Numbers kind, uint64_t seed) {
    Random random(seed, static_cast<uint64_t>(kind));
    for (int64_t i = 0; i < n_; ++i) data()[i] = draw(kind, random);
  }

 private:
  static constexpr int64_t kGuard = 16;  // one line, so that `offset` counts from a boundary
  static constexpr float kMark = -12345.678f;

  static float draw(Numbers kind, Random& random) {
    using Limits = std::numeric_limits<float>;
    if (kind == Numbers::kNormal) return random.normal();
    const int64_t pick = random.below(kind == Numbers::kWide ? 1 : 4);
    if (pick == 0) return std::ldexp(random.uniform(-1, 1), static_cast<int>(random.below(81)) - 40);
    if (pick == 1) return random.normal();
    constexpr float kSpecial[] = {
        0.0f,    -0.0f,         Limits::infinity(), -Limits::infinity(), Limits::denorm_min(),
        -1e-40f, Limits::min(), Limits::max(),      Limits::lowest(),    Limits::epsilon(),
        1.0f,    -1.0f};
    if (kind == Numbers::kNan && random.below(4) == 0) return Limits::quiet_NaN();
    return kSpecial[random.below(std::size(kSpecial))];
  }

  int64_t n_;
  int64_t start_ = 0;
  std::vector<float> memory_;
};

// Each |got - want| <= relative * |want| + absolute; NaN only where NaN is wanted, infinities the same.
// `absolute` defaults to the smallest normal float, since kernels may flush denormals to zero.
inline ::testing::AssertionResult same_numbers(std::span<const float> got, std::span<const float> want,
                                               double relative,
                                               double absolute = std::numeric_limits<float>::min()) {
  for (size_t i = 0; i < want.size(); ++i) {
    const double a = got[i], b = want[i];
    const bool same = std::isnan(b)   ? std::isnan(a)
                      : std::isinf(b) ? a == b
                                      : std::abs(a - b) <= relative * std::abs(b) + absolute;
    if (!same)
      return ::testing::AssertionFailure() << "element " << i << " is " << a << ", the plain twin's is " << b;
  }
  return ::testing::AssertionSuccess();
}
inline ::testing::AssertionResult same_numbers(const Guarded& got, const Guarded& want, double relative,
                                               double absolute = std::numeric_limits<float>::min()) {
  return same_numbers(got.span(), want.span(), relative, absolute);
}

}  // namespace fovea::testing
