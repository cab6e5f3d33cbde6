#include "fovea/kernels/convolution.h"

#include <gtest/gtest.h>

#include <vector>

#include "fovea/base/parallel.h"
#include "tests/kernels/simd_twins.h"

namespace fovea::testing {
namespace {

using kernels::ConvolutionSize;
using kernels::ConvolutionWeightGrads;
constexpr uint64_t kSeed = 29;

struct Grads {
  std::vector<float> y, dx, dw, db;
};

std::vector<float> numbers(int64_t n, uint64_t seed) {
  Random random(kSeed, seed);
  std::vector<float> values(static_cast<size_t>(n));
  for (float& v : values) v = random.normal();
  return values;
}

int64_t in_size(const ConvolutionSize& s) { return s.B * s.y.size * s.x.size * s.in; }
int64_t out_size(const ConvolutionSize& s) { return s.B * s.y.out() * s.x.out() * s.out; }

template <typename Forward, typename Input, typename Weights>
Grads run(const ConvolutionSize& s, float beta, Forward&& forward, Input&& input, Weights&& weights) {
  const std::vector<float> x = numbers(in_size(s), 1), w = numbers(s.weights(), 2), bias = numbers(s.out, 3),
                           dy = numbers(out_size(s), 4);
  Grads g{.y = std::vector<float>(dy.size()),
          .dx = numbers(in_size(s), 5),
          .dw = numbers(s.weights(), 6),
          .db = numbers(s.out, 7)};
  forward(s, x.data(), w.data(), bias.data(), g.y.data());
  input(s, w.data(), dy.data(), beta, g.dx.data());
  weights(
      s, x.data(), dy.data(),
      ConvolutionWeightGrads<float>{.dw = g.dw.data(), .db = g.db.data(), .beta_w = beta, .beta_b = beta});
  return g;
}
Grads fast(const ConvolutionSize& s, float beta) {
  return run(
      s, beta, [](auto&&... a) { kernels::convolution(a...); },
      [](auto&&... a) { kernels::convolution_backward_input(a...); },
      [](auto&&... a) { kernels::convolution_backward_weights(a...); });
}
Grads plain(const ConvolutionSize& s, float beta) {
  return run(
      s, beta, [](auto&&... a) { kernels::ref::convolution(a...); },
      [](auto&&... a) { kernels::ref::convolution_backward_input(a...); },
      [](auto&&... a) { kernels::ref::convolution_backward_weights(a...); });
}

std::string text(const ConvolutionSize& s) {
  ::testing::Message m;
  m << "B " << s.B << " picture " << s.y.size << "x" << s.x.size << "x" << s.in << " -> " << s.out
    << " kernel " << s.y.kernel << "x" << s.x.kernel << " stride " << s.y.stride << "," << s.x.stride
    << " padding " << s.y.padding << "," << s.x.padding << " dilation " << s.y.dilation << "," << s.x.dilation
    << " groups " << s.groups;
  return m.GetString();
}

void expect_twins(const ConvolutionSize& s, double tolerance = 2e-5) {
  SCOPED_TRACE(text(s));
  for (const float beta : {0.0f, 1.0f}) {
    const Grads want = plain(s, beta), got = fast(s, beta);
    const double terms = static_cast<double>(s.taps() * std::max(s.group_in(), s.group_out()));
    const double pixels = static_cast<double>(s.B * s.y.out() * s.x.out() + 1);
    EXPECT_TRUE(same_numbers(got.y, want.y, tolerance, 1e-6 * std::sqrt(terms))) << "y";
    EXPECT_TRUE(same_numbers(got.dx, want.dx, tolerance, 1e-6 * std::sqrt(terms))) << "dx";
    EXPECT_TRUE(same_numbers(got.dw, want.dw, tolerance, 1e-6 * std::sqrt(pixels))) << "dw";
    EXPECT_TRUE(same_numbers(got.db, want.db, tolerance, 1e-6 * std::sqrt(pixels))) << "db";
  }
}

ConvolutionSize square(int64_t B, int64_t size, int64_t in, int64_t out, int64_t kernel, int64_t stride = 1,
                       int64_t padding = 0, int64_t groups = 1, int64_t dilation = 1) {
  const kernels::WindowAxis axis{size, kernel, stride, padding, dilation};
  return {.B = B, .y = axis, .x = axis, .in = in, .out = out, .groups = groups};
}

TEST(Convolution, AgreesWithPlainLoops) {
  const ConvolutionSize sizes[] = {
      square(1, 1, 1, 1, 1),
      square(1, 1, 3, 5, 3, 1, 1),  // a picture of one pixel
      square(2, 2, 3, 4, 7, 1, 3),  // a kernel larger than the picture
      square(2, 9, 3, 32, 3, 1, 1),
      square(2, 11, 1, 32, 5, 1, 2),
      square(2, 8, 3, 33, 4, 4),  // patches
      square(3, 8, 16, 20, 2, 2),
      square(2, 7, 16, 17, 1),
      square(2, 7, 24, 70, 1, 2),
      square(2, 9, 17, 80, 3, 2, 1),
      square(2, 15, 3, 65, 7, 2, 3),
      square(1, 12, 40, 48, 3, 1, 2, 1, 2),
      square(1, 13, 9, 8, 3, 3, 2, 1, 2),
      square(1, 13, 8, 9, 3, 2, 0, 1, 4),
      square(3, 9, 17, 80, 3, 1, 1),
      square(2, 8, 130, 16, 3, 1, 0),
      square(2, 5, 20, 33, 3, 1, 2),
      square(2, 9, 33, 80, 3, 2, 1),
      square(2, 12, 32, 40, 3, 2, 0),
      square(2, 9, 12, 18, 3, 1, 1, 3),
      square(2, 9, 12, 18, 3, 2, 1, 6),
      square(2, 9, 6, 12, 3, 2, 1, 6),    // two outputs a channel
      square(2, 9, 37, 37, 3, 1, 1, 37),  // depthwise
      square(2, 10, 16, 16, 5, 2, 2, 16),
      square(2, 10, 3, 3, 3, 1, 4, 3, 2),
      square(2, 3, 5, 5, 3, 4, 0, 5),
      square(1, 2, 2, 3, 3),  // no position fits
      square(0, 4, 2, 3, 3),
      square(1, 6, 0, 3, 3),
  };
  for_each_simd_target([&] {
    for (const ConvolutionSize& s : sizes) expect_twins(s);
  });
}

TEST(Convolution, AgreesOnRandomSizes) {
  Random random(kSeed, 100);
  const auto axis = [&] {
    return kernels::WindowAxis{1 + random.below(12), 1 + random.below(4), 1 + random.below(3),
                               random.below(3), 1 + random.below(3)};
  };
  for (int i = 0; i < 150; ++i) {
    ConvolutionSize s{.B = 1 + random.below(3),
                      .y = axis(),
                      .x = axis(),
                      .in = 1 + random.below(20),
                      .out = 1 + random.below(70)};
    if (random.below(3) == 0) {
      s.groups = 1 + random.below(4);
      s.in *= s.groups;
      s.out *= s.groups;
    }
    expect_twins(s);
    if (HasFailure()) break;
  }
}

TEST(Convolution, HasTheSameBitsOnAnyNumberOfThreads) {
  struct Reset {
    ~Reset() { set_threads(0); }
  } reset;
  for (const ConvolutionSize& s :
       {square(16, 32, 3, 32, 3, 1, 1), square(8, 16, 64, 64, 3, 1, 1), square(8, 16, 32, 64, 3, 2, 1),
        square(4, 28, 1, 32, 5, 1, 2), square(4, 14, 64, 256, 1, 2), square(4, 7, 256, 128, 3, 1, 1),
        square(8, 16, 64, 64, 3, 1, 1, 64)}) {
    SCOPED_TRACE(text(s));
    set_threads(1);
    const Grads one = fast(s, 1);
    for (const int threads : {2, 3}) {
      set_threads(threads);
      const Grads more = fast(s, 1);
      EXPECT_EQ(more.y, one.y) << threads;
      EXPECT_EQ(more.dx, one.dx) << threads;
      EXPECT_EQ(more.dw, one.dw) << threads;
      EXPECT_EQ(more.db, one.db) << threads;
    }
  }
}

}  // namespace
}  // namespace fovea::testing
