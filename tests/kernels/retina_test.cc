#include "fovea/kernels/retina.h"

#include <gtest/gtest.h>

#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/base/random.h"

namespace fovea::kernels {
namespace {

std::vector<float> drawn(int64_t n, uint64_t seed, float low, float high) {
  Random random(seed);
  std::vector<float> values(static_cast<size_t>(n));
  for (float& value : values) value = random.uniform(low, high);
  return values;
}

TEST(Retina, AgreesWithPlainLoopsWhereverItLooks) {
  const RetinaSize sizes[] = {{3, 9, 7, 1, 4, 3}, {2, 5, 6, 3, 3, 2}, {4, 1, 1, 2, 1, 1},
                              {2, 8, 8, 1, 5, 4}, {0, 4, 4, 1, 2, 2}, {3, 20, 30, 1, 12, 3}};
  for (const RetinaSize& s : sizes)
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const std::vector<float> x = drawn(s.B * s.height * s.width * s.channels, seed, -1, 1);
      std::vector<float> at = drawn(s.B * 2, seed + 100, -12, 40);
      if (seed % 4 == 0)  // whole and half pixels
        for (float& value : at) value = std::round(value * 2) / 2;
      std::vector<float> got(static_cast<size_t>(s.B * s.numbers()), 7), want(got);
      retina(s, x.data(), at.data(), got.data());
      ref::retina(s, x.data(), at.data(), want.data());
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], want[i], 1e-5)
            << "seed " << seed << ", " << s.height << " x " << s.width << ", " << i;
    }
}

TEST(Retina, TheFirstSquareIsTheCropAndTheSecondItsMeans) {
  const RetinaSize s{1, 6, 6, 1, 2, 2};
  std::vector<float> x(36), y(8);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const float at[] = {4, 3};  // x, y
  retina(s, x.data(), at, y.data());
  EXPECT_EQ(y, (std::vector<float>{15, 16, 21, 22, 11.5f, 13.5f, 23.5f, 25.5f}));
}

TEST(Retina, APointFarAwayOrNotFiniteSeesNothing) {
  const RetinaSize s{1, 4, 4, 1, 2, 2};
  const std::vector<float> x(16, 1);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float where : {1e30f, -1e30f, kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> y(8, 3);
    const float at[] = {2, where};
    retina(s, x.data(), at, y.data());
    EXPECT_EQ(y, std::vector<float>(8)) << where;
  }
}

TEST(Retina, APointSeesTheSameAloneAndOnAnyNumberOfThreads) {
  const RetinaSize s{40, 30, 30, 1, 12, 3};
  const std::vector<float> x = drawn(s.B * 900, 1, 0, 1), at = drawn(s.B * 2, 2, 0, 30);
  std::vector<float> one(static_cast<size_t>(s.B * s.numbers())), two(one), alone(one);
  const int before = threads();
  set_threads(1);
  retina(s, x.data(), at.data(), one.data());
  set_threads(2);
  retina(s, x.data(), at.data(), two.data());
  set_threads(before);
  RetinaSize single = s;
  single.B = 1;
  for (int64_t b = 0; b < s.B; ++b)
    retina(single, x.data() + b * 900, at.data() + b * 2, alone.data() + b * s.numbers());
  EXPECT_EQ(one, two);
  EXPECT_EQ(one, alone);
}

}  // namespace
}  // namespace fovea::kernels
