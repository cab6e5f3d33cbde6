// The fused attention kernels against the plain loops, over shapes, heads, strides and every part of a mask.
#include "fovea/kernels/attention.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "fovea/base/parallel.h"
#include "fovea/base/random.h"
#include "simd_twins.h"

namespace fovea::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

using Buffer = std::vector<float>;

// Random rows with gaps between rows, heads and batch entries, in one of two orders of axes.
struct Rows {
  Buffer data;
  HeadRows<float> view;
  Rows(int64_t B, int64_t heads, int64_t rows, int64_t width, bool heads_inside, int64_t gap,
       Random& random) {
    const int64_t inner = width + gap;
    const int64_t row = heads_inside ? inner * heads : inner,
                  head = heads_inside ? inner : inner * rows + gap;
    const int64_t batch = inner * heads * rows + gap * (heads + 1);
    data.resize(static_cast<size_t>(B * batch + 1));
    for (float& x : data) x = random.normal();
    view = {data.data() + 1, batch, head, row};  // + 1: not aligned to vectors
  }
  HeadRows<const float> read() const { return {view.data, view.batch, view.head, view.row}; }
};

// One random attention: operands, mask, upstream gradient.
struct Case {
  AttentionSize n;
  Rows q, k, v, out, dout;
  Buffer u, bias, diagonal, centre;
  std::vector<int32_t> first, last;
  std::vector<uint8_t> visible;
  AttentionMask<float> mask;
  float scale;
  std::string text;

  Case(const AttentionSize& size, Random& r)
      : n(size),
        q(n.B, n.H, n.T, n.D, r.below(2), r.below(4), r),
        k(n.B, n.G, n.S, n.D, r.below(2), r.below(4), r),
        v(n.B, n.G, n.S, n.M, r.below(2), r.below(4), r),
        out(n.B, n.H, n.T, n.M, r.below(2), r.below(4), r),
        dout(n.B, n.H, n.T, n.M, r.below(2), r.below(4), r),
        scale(1 / std::sqrt(static_cast<float>(n.D))) {
    text = fmt::format("B {} T {} S {} H {} G {} D {} M {}", n.B, n.T, n.S, n.H, n.G, n.D, n.M);
    for (int64_t d = 0; d < n.H * n.D; ++d) u.push_back(r.normal());
    if (r.below(2)) add_ranges(r);
    if (r.below(4) == 0) add_visible(r);
    if (r.below(4) == 0) add_bias(r);
    if (r.below(4) == 0) add_diagonal(r);
    if (r.below(5) == 0) add_centre(r);
    if (r.below(6) == 0) {
      mask.dropout = 0.3f;
      mask.seed = r.bits();
      mask.step = r.bits();
      text += " dropout";
    }
  }

  void add_ranges(Random& r) {
    const int64_t batches = r.below(2) ? n.B : 1, heads = r.below(2) ? n.H : 1, kind = r.below(3);
    for (int64_t x = 0; x < batches * heads * n.T; ++x) {
      const int64_t position = n.S - n.T + x % n.T, reach = n.S / 4;
      int64_t low = kind == 0 ? 0 : kind == 1 ? position - reach : r.below(n.S + 1);
      int64_t high = kind == 2 ? low + r.below(n.S + 1 - low) : position + 1;  // kind 2 makes empty rows, too
      first.push_back(static_cast<int32_t>(std::clamp<int64_t>(low, 0, n.S)));
      last.push_back(static_cast<int32_t>(std::clamp<int64_t>(high, 0, n.S)));
    }
    mask.first = first.data();
    mask.last = last.data();
    mask.range_batch = batches > 1 ? heads * n.T : 0;
    mask.range_head = heads > 1 ? n.T : 0;
    text += fmt::format(" ranges({})", kind);
  }
  // Strides of a [B or 1, H or 1, T or 1, S] array, and its size.
  int64_t dense(Random& r, int64_t* batch, int64_t* head, int64_t* row) const {
    const int64_t B = r.below(2) ? n.B : 1, H = r.below(2) ? n.H : 1, T = r.below(3) ? n.T : 1;
    *batch = B > 1 ? H * T * n.S : 0;
    *head = H > 1 ? T * n.S : 0;
    *row = T > 1 ? n.S : 0;
    return B * H * T * n.S;
  }
  void add_visible(Random& r) {
    const int64_t size = dense(r, &mask.visible_batch, &mask.visible_head, &mask.visible_row);
    for (int64_t x = 0; x < size; ++x) visible.push_back(r.below(3) > 0);
    if (mask.visible_row) std::fill_n(visible.begin(), n.S, uint8_t{0});  // a query that sees nothing
    mask.visible = visible.data();
    text += " visible";
  }
  void add_bias(Random& r) {
    const int64_t size = dense(r, &mask.bias_batch, &mask.bias_head, &mask.bias_row);
    for (int64_t x = 0; x < size; ++x) bias.push_back(r.normal());
    // How some programs write masks: over whole rows, or over some of the keys.
    if (r.below(2)) {
      const float hidden = r.below(2) ? -1e9f : std::numeric_limits<float>::lowest();
      for (int64_t row = 0; row < size / n.S; ++row)
        for (int64_t j = 0, kind = r.below(3); j < n.S; ++j)
          if (kind == 0 || (kind == 1 && r.below(2))) bias[static_cast<size_t>(row * n.S + j)] = hidden;
      text += fmt::format(" {}", hidden);
    }
    mask.bias = bias.data();
    text += fmt::format(" bias({} {} {})", mask.bias_batch, mask.bias_head, mask.bias_row);
  }
  void add_diagonal(Random& r) {
    const int64_t heads = r.below(2) ? n.H : 1;
    for (int64_t x = 0; x < heads * (n.T + n.S - 1); ++x) diagonal.push_back(r.normal());
    mask.diagonal = diagonal.data();
    mask.diagonal_head = heads > 1 ? n.T + n.S - 1 : 0;
    text += " diagonal";
  }
  void add_centre(Random& r) {
    const int64_t batches = r.below(2) ? n.B : 1, heads = r.below(2) ? n.H : 1;
    for (int64_t x = 0; x < batches * heads * n.T; ++x)
      centre.push_back(r.uniform(0, static_cast<float>(n.S)));
    mask.centre = centre.data();
    mask.centre_batch = batches > 1 ? heads * n.T : 0;
    mask.centre_head = heads > 1 ? n.T : 0;
    mask.sigma = r.uniform(1, 5);
    text += " centre";
  }

  DotAttention<float> dot() const { return {n, scale, q.read(), k.read(), v.read(), mask}; }
  AdditiveAttention<float> additive() const { return {n, q.read(), k.read(), v.read(), u.data(), n.D, mask}; }
};

// Everything forward and backward write.
struct Result {
  Rows out, dq, dk, dv;
  Buffer max, sum, du, bias, diagonal, centre;
  explicit Result(const Case& c, Random r = Random(7))
      : out(c.n.B, c.n.H, c.n.T, c.n.M, true, 2, r),
        dq(c.n.B, c.n.H, c.n.T, c.n.D, true, 1, r),
        dk(c.n.B, c.n.G, c.n.S, c.n.D, false, 3, r),
        dv(c.n.B, c.n.G, c.n.S, c.n.M, true, 0, r),
        max(static_cast<size_t>(c.n.B * c.n.H * c.n.T)),
        sum(max.size()),
        du(c.u.size()),
        bias(c.bias.size()),
        diagonal(c.diagonal.size()),
        centre(c.centre.size()) {}

  SoftmaxRows<float> rows() { return {max.data(), sum.data()}; }
  AttentionGrads<float> grads(const Case& c) {
    AttentionGrads<float> g;
    g.out = out.read();
    g.dout = c.dout.read();
    g.rows = {max.data(), sum.data()};
    g.dq = dq.view;
    g.dk = dk.view;
    g.dv = dv.view;
    g.add_keys = c.n.S % 2 == 0;  // Rows are full of numbers, which then count
    g.du = du.data();
    if (!bias.empty()) g.mask.bias = bias.data();
    if (!diagonal.empty()) g.mask.diagonal = diagonal.data();
    if (!centre.empty()) g.mask.centre = centre.data();
    return g;
  }
};

template <typename A>
Result run_fused(const Case& c, const A& a) {
  Result r(c);
  attention_forward(a, r.out.view, r.rows());
  attention_backward(a, r.grads(c));
  return r;
}
template <typename A>
Result run_plain(const Case& c, const A& a) {
  Result r(c);
  ref::attention_forward(a, r.out.view, r.rows());
  ref::attention_backward(a, r.grads(c));
  return r;
}

// The largest difference, relative to the larger of 1 and the largest number.
double difference(const Buffer& a, const Buffer& b) {
  double worst = 0, size = 1;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) != std::isnan(b[i])) return std::numeric_limits<double>::infinity();
    if (a[i] == b[i] || std::isnan(a[i])) continue;
    worst = std::max<double>(worst, std::abs(static_cast<double>(a[i]) - b[i]));
    size = std::max<double>(size, std::abs(b[i]));
  }
  return worst / size;
}

void expect_equal(const Result& fused, const Result& plain, const std::string& text) {
  EXPECT_LE(difference(fused.out.data, plain.out.data), 1e-5) << text;
  EXPECT_LE(difference(fused.max, plain.max), 1e-5) << text;
  EXPECT_LE(difference(fused.sum, plain.sum), 1e-5) << text;
  EXPECT_LE(difference(fused.dq.data, plain.dq.data), 1e-4) << text;
  EXPECT_LE(difference(fused.dk.data, plain.dk.data), 1e-4) << text;
  EXPECT_LE(difference(fused.dv.data, plain.dv.data), 1e-4) << text;
  EXPECT_LE(difference(fused.du, plain.du), 1e-4) << text;
  EXPECT_LE(difference(fused.bias, plain.bias), 1e-4) << text;
  EXPECT_LE(difference(fused.diagonal, plain.diagonal), 1e-4) << text;
  EXPECT_LE(difference(fused.centre, plain.centre), 1e-4) << text;
}

// Mostly small, now and then across the kernels' blocks: 96 queries and 192 keys for dot, 16 and 32 for
// additive, whose plain loops are slow.
AttentionSize random_size(Random& r, bool additive = false) {
  AttentionSize n;
  n.B = 1 + r.below(3);
  n.G = 1 + r.below(2);
  n.H = n.G * (1 + r.below(3));
  const bool large = r.below(25) == 0;
  n.T = 1 + r.below(!large ? 20 : additive ? 50 : 230);
  n.S = 1 + r.below(!large ? 40 : additive ? 100 : 450);
  n.D = 1 + r.below(large ? 20 : 40);
  n.M = 1 + r.below(large ? 20 : 40);
  return n;
}

TEST(Attention, FusedDotIsThePlainLoopsOnRandomCases) {
  for (uint64_t seed = 1; seed <= 1200 && !::testing::Test::HasFailure(); ++seed) {
    Random r(seed);
    const Case c(random_size(r), r);
    expect_equal(run_fused(c, c.dot()), run_plain(c, c.dot()), fmt::format("seed {}: {}", seed, c.text));
  }
}

TEST(Attention, FusedAdditiveIsThePlainLoopsOnRandomCases) {
  for (uint64_t seed = 1; seed <= 800 && !::testing::Test::HasFailure(); ++seed) {
    Random r(seed + 100'000);
    const Case c(random_size(r, true), r);
    expect_equal(run_fused(c, c.additive()), run_plain(c, c.additive()),
                 fmt::format("seed {}: {}", seed, c.text));
  }
}

TEST(Attention, EverySimdTargetIsThePlainLoops) {
  fovea::testing::for_each_simd_target([&] {
    for (uint64_t seed = 1; seed <= 60 && !::testing::Test::HasFailure(); ++seed) {
      Random r(seed + 200'000);
      const Case c(random_size(r, seed % 4 != 0), r);
      const std::string text = fmt::format("{} seed {}: {}", simd_name(), seed, c.text);
      expect_equal(run_fused(c, c.dot()), run_plain(c, c.dot()), text);
      expect_equal(run_fused(c, c.additive()), run_plain(c, c.additive()), text);
    }
  });
}

TEST(Attention, WeightsOfAnyRowsAreRebuilt) {
  auto check = [](const Case& c, const auto& a, const std::string& text) {
    Result r(c);
    attention_forward(a, r.out.view, r.rows());
    for (int64_t h = 0; h < c.n.H; ++h) {
      const int64_t b = c.n.B - 1, begin = c.n.T / 3, end = c.n.T - c.n.T / 5;
      Buffer fused(static_cast<size_t>((end - begin) * c.n.S)), plain(fused.size());
      attention_weights(a, SoftmaxRows<const float>{r.max.data(), r.sum.data()}, b, h, begin, end,
                        fused.data());
      ref::attention_weights(a, SoftmaxRows<const float>{r.max.data(), r.sum.data()}, b, h, begin, end,
                             plain.data());
      EXPECT_LE(difference(fused, plain), 1e-5) << text;
    }
  };
  for (uint64_t seed = 1; seed <= 200 && !::testing::Test::HasFailure(); ++seed) {
    Random r(seed + 300'000);
    const Case c(random_size(r, true), r);
    check(c, c.dot(), fmt::format("dot, seed {}: {}", seed, c.text));
    check(c, c.additive(), fmt::format("additive, seed {}: {}", seed, c.text));
  }
}

TEST(Attention, SameBitsOnOneThreadAndTwo) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random r(seed + 400'000);
    AttentionSize n = random_size(r);
    n.T += 150;
    n.S += 300;
    const Case c(n, r);
    auto same = [&](const auto& a) {
      set_threads(1);
      const Result one = run_fused(c, a);
      set_threads(2);
      const Result two = run_fused(c, a), again = run_fused(c, a);
      set_threads(0);
      for (const Result* other : {&two, &again}) {
        EXPECT_EQ(one.out.data, other->out.data) << seed;
        EXPECT_EQ(one.dq.data, other->dq.data) << seed;
        EXPECT_EQ(one.dk.data, other->dk.data) << seed;
        EXPECT_EQ(one.dv.data, other->dv.data) << seed;
        EXPECT_EQ(one.du, other->du) << seed;
        EXPECT_EQ(one.bias, other->bias) << seed;
        EXPECT_EQ(one.diagonal, other->diagonal) << seed;
        EXPECT_EQ(one.centre, other->centre) << seed;
      }
    };
    same(c.dot());
    same(c.additive());
  }
}

TEST(Attention, QueryThatSeesNothingReadsZerosAndHasNoGradient) {
  Random r(5);
  Case c({.B = 1, .T = 3, .S = 4, .H = 1, .G = 1, .D = 5, .M = 6}, r);
  const std::vector<int32_t> first = {0, 2, 0}, last = {4, 2, 1};
  c.mask = {};
  c.mask.first = first.data();
  c.mask.last = last.data();
  auto check = [&](const Result& x) {
    EXPECT_EQ(x.max[1], -kInf);
    EXPECT_EQ(x.sum[1], 0);
    for (int64_t m = 0; m < 6; ++m) EXPECT_EQ(x.out.view.at(0, 0, 1)[m], 0.0f);
    for (int64_t d = 0; d < 5; ++d) EXPECT_EQ(x.dq.view.at(0, 0, 1)[d], 0.0f);
    for (float y : x.dk.data) EXPECT_FALSE(std::isnan(y));
  };
  check(run_fused(c, c.dot()));
  check(run_fused(c, c.additive()));
}

TEST(Attention, NaNInAQueryOrKeyReachesTheOutput) {
  Random r(6);
  Case c({.B = 1, .T = 2, .S = 30, .H = 1, .G = 1, .D = 8, .M = 8}, r);
  c.mask = {};
  c.q.view.at(0, 0, 1)[3] = std::nanf("");
  for (const Result& x : {run_fused(c, c.dot()), run_fused(c, c.additive())}) {
    EXPECT_FALSE(std::isnan(x.out.view.at(0, 0, 0)[0]));
    EXPECT_TRUE(std::isnan(x.out.view.at(0, 0, 1)[0]));
    EXPECT_TRUE(std::isnan(x.max[1]));
  }
}

TEST(Attention, LargeScoresDoNotOverflow) {
  Random r(8);
  Case c({.B = 1, .T = 5, .S = 40, .H = 1, .G = 1, .D = 8, .M = 8}, r);
  c.mask = {};
  c.scale = 100;
  expect_equal(run_fused(c, c.dot()), run_plain(c, c.dot()), "scale 100");
}

TEST(Attention, ARowDoesNotDependOnOtherRows) {
  Random r(9);
  Case c({.B = 1, .T = 200, .S = 300, .H = 2, .G = 1, .D = 16, .M = 16}, r);
  c.mask = {};
  const Result all = run_fused(c, c.dot());
  DotAttention<float> one = c.dot();
  one.size.T = 1;
  Result alone(c);
  for (int64_t i : {0, 95, 96, 199}) {
    one.q.data = c.q.view.at(0, 0, i);
    attention_forward(one, alone.out.view, alone.rows());
    for (int64_t m = 0; m < 16; ++m)
      EXPECT_EQ(alone.out.view.at(0, 0, 0)[m], all.out.view.at(0, 0, i)[m]) << i;
  }
}

}  // namespace
}  // namespace fovea::kernels
