#include "fovea/nn/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace fovea::testing {
namespace {

using autograd::Var;
using nn::Noise;

// How many rows of y are whole, times what they are multiplied by; -1 where one is neither whole nor gone.
int64_t kept_rows(const Tensor& y, float factor) {
  const int64_t width = y.dim(-1), rows = y.size() / width;
  int64_t kept = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = y.data<float>() + r * width;
    for (int64_t c = 1; c < width; ++c)
      if (row[c] != row[0]) return -1;
    if (row[0] != 0 && std::abs(row[0] - factor) > 1e-6f) return -1;
    kept += row[0] != 0;
  }
  return kept;
}

TEST(Noise, RowsAreKeptOrDroppedWhole) {
  const Var x(Tensor::full({50, 40, 8}, 1));
  const Noise noise{0.25f, 7, 3};
  const Tensor y = noise.on_rows(x, 0).value();
  const int64_t kept = kept_rows(y, 1 / 0.75f);
  EXPECT_NEAR(static_cast<double>(kept), 1500, 80);  // four standard deviations
  const auto same = [&](const Tensor& other) {
    return std::equal(y.data<float>(), y.data<float>() + y.size(), other.data<float>());
  };
  EXPECT_TRUE(same(noise.on_rows(x, 0).value())) << "the same place and step draw the same";
  EXPECT_FALSE(same(noise.on_rows(x, 1).value()));
  EXPECT_FALSE(same(noise.at(1).on_rows(x, 0).value()));
  EXPECT_FALSE(same(Noise{0.25f, 7, 4}.on_rows(x, 0).value()));
}

TEST(Noise, WithoutARateNothingHappens) {
  const Var x(Tensor::full({5, 8}, 1));
  EXPECT_EQ(kept_rows(Noise{}.on_rows(x, 0).value(), 1), 5);
}

}  // namespace
}  // namespace fovea::testing
