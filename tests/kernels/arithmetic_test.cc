#include "fovea/kernels/arithmetic.h"

#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

using kernels::Arithmetic;
using kernels::Broadcast;

TEST(ArithmeticKernel, AgreesWithPlainLoopsToTheLastBit) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      for (const int strides : {0, 1, 2, 3}) {
        const Broadcast shape = {.rank = 2, .sizes = {3, n}, .a = {strides & 1 ? n : 1, 0}, .b = {0, 0}};
        Broadcast walk = shape;
        walk.a[1] = strides & 1;
        walk.b[1] = strides >> 1;
        Guarded a(3 * n + 3, offset), b(n + 1, (offset + 1) % 4), got(3 * n, (offset + 2) % 4),
            want(3 * n, 0);
        a.fill(Numbers::kNan, 1);
        b.fill(Numbers::kNan, 2);
        for (const Arithmetic op : {Arithmetic::kAdd, Arithmetic::kSub, Arithmetic::kMul, Arithmetic::kDiv}) {
          for (const bool accumulate : {false, true}) {
            kernels::arithmetic(op, walk, a.data(), b.data(), got.data(), accumulate);
            kernels::ref::arithmetic(op, walk, a.data(), b.data(), want.data(), accumulate);
            ASSERT_TRUE(same_numbers(got, want, 0, 0))
                << "op " << static_cast<int>(op) << ", strides " << strides;
          }
        }
      }
    });
  });
}

TEST(ArithmeticKernel, ScalesAndShifts) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      Guarded x(n, offset), got(n, (offset + 1) % 4), want(n, 0);
      x.fill(Numbers::kNan, 1);
      kernels::affine(x.data(), got.data(), n, 0.3f, -2);
      for (int64_t i = 0; i < n; ++i) want.data()[i] = 0.3f * x.data()[i] + -2;
      ASSERT_TRUE(same_numbers(got, want, 0, 0));
      kernels::add_scaled(x.data(), got.data(), n, 0.7f);
      for (int64_t i = 0; i < n; ++i) want.data()[i] += 0.7f * x.data()[i];
      ASSERT_TRUE(same_numbers(got, want, 0, 0));
    });
  });
}

}  // namespace
}  // namespace fovea::testing
