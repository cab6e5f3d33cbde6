#include "tests/kernels/simd_twins.h"

#include <set>
#include <string>

#include "fovea/kernels/accumulate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/kernels/simd_twins_test.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::testing::HWY_NAMESPACE {
int64_t CompiledFor() { return HWY_TARGET; }
}  // namespace fovea::testing::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::testing {
HWY_EXPORT(CompiledFor);
namespace {

TEST(SimdTwins, EachForcedTargetRunsItsOwnCode) {
  std::set<int64_t> ran;
  std::set<std::string> names;
  for_each_simd_target([&] {
    const int64_t target = HWY_DYNAMIC_DISPATCH(CompiledFor)();
    EXPECT_EQ(target, hwy::SupportedTargets());
    ran.insert(target);
    names.insert(simd_name());
  });
  EXPECT_EQ(ran.size(), hwy::SupportedAndGeneratedTargets().size());
  EXPECT_EQ(names.size(), ran.size());
  EXPECT_TRUE(names.count("portable"));
  const int64_t best = hwy::SupportedTargets() & HWY_TARGETS;
  EXPECT_EQ(HWY_DYNAMIC_DISPATCH(CompiledFor)(), best & -best) << "the best target is back";
}

TEST(SimdTwins, AccumulateAddsLikeThePlainLoop) {
  for_each_simd_target([] {
    for_each_twin([](int64_t n, int64_t offset) {
      for (const Numbers kind : kAllNumbers) {
        Guarded x(n, offset), got(n, (offset + 1) % 4), want(n, 0);
        x.fill(kind, 1);
        got.fill(kind, 2);
        want.fill(kind, 2);
        kernels::accumulate(x.data(), got.data(), n);
        kernels::ref::accumulate(x.data(), want.data(), n);
        EXPECT_TRUE(same_numbers(got, want, 0, 0));
      }
    });
  });
}

TEST(SimdTwins, ADifferenceIsFound) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto same = [](float a, float b) {
    return bool(same_numbers(std::span(&a, 1), std::span(&b, 1), 1e-6));
  };
  EXPECT_TRUE(same(1, 1) && same(nan, nan) && same(inf, inf) && same(0.0f, 1e-40f) && same(1.0000005f, 1));
  EXPECT_FALSE(same(1.00001f, 1) || same(nan, 1) || same(1, nan) || same(inf, -inf) || same(3e38f, inf) ||
               same(inf, 1));
}

}  // namespace
}  // namespace fovea::testing
#endif
