// Each mask against its definition, written as a function of (b, h, i, j); combinations; gradients.
#include "fovea/nn/masks/mask.h"

#include <gtest/gtest.h>

#include "fovea/nn/attend.h"
#include "gradients.h"
#include "naive.h"

namespace fovea::nn {
namespace {

using namespace fovea::testing;

constexpr double kHidden = -std::numeric_limits<double>::infinity();

Tensor ints(const std::vector<int32_t>& values) {
  return Tensor::of<int32_t>({static_cast<int64_t>(values.size())}, values);
}

// B 2, H 4, T 4, S 6: query i stands at key position 2 + i.
constexpr int64_t kB = 2, kH = 4, kT = 4, kS = 6;

struct MaskCase {
  const char* name;
  std::function<Mask()> make;
  std::function<double(int64_t b, int64_t h, int64_t i, int64_t j)>
      added;  // what it adds to a score, kHidden to hide
};

Tensor some_truth() {
  Tensor x = Tensor::empty({kB, 1, kT, kS}, DType::kU8);
  for (int64_t n = 0; n < x.size(); ++n) x.data<uint8_t>()[n] = (n * 7 + n / 5) % 3 != 0;
  std::fill_n(x.data<uint8_t>() + kS, kS, uint8_t{0});  // query 1 of batch entry 0 sees nothing
  return x;
}
Tensor some_bias() {
  Random random(3);
  return random_tensor({1, kH, kT, kS}, DType::kF64, random);
}
Tensor some_table() {
  Random random(4);
  return random_tensor({8, kH}, DType::kF64, random);
}

const MaskCase kMasks[] = {
    {"none", [] { return Mask(); }, [](int64_t, int64_t, int64_t, int64_t) { return 0.0; }},
    {"causal", [] { return causal(); },
     [](int64_t, int64_t, int64_t i, int64_t j) { return j <= i + 2 ? 0 : kHidden; }},
    {"window", [] { return window(1); },
     [](int64_t, int64_t, int64_t i, int64_t j) { return std::abs(i + 2 - j) <= 1 ? 0 : kHidden; }},
    {"lengths",
     [] {
       return lengths(ints({4, 6}));
     },
     [](int64_t b, int64_t, int64_t, int64_t j) { return j < (b ? 6 : 4) ? 0 : kHidden; }},
    {"lengths_of_nothing",
     [] {
       return lengths(ints({0, 3}));
     },
     [](int64_t b, int64_t, int64_t, int64_t j) { return j < (b ? 3 : 0) ? 0 : kHidden; }},
    {"prefix", [] { return prefix(4); },
     [](int64_t, int64_t, int64_t i, int64_t j) { return j < 4 || j <= i + 2 ? 0 : kHidden; }},
    {"visible", [] { return visible(some_truth()); },
     [](int64_t b, int64_t, int64_t i, int64_t j) {
       return some_truth().data<uint8_t>()[(b * kT + i) * kS + j] ? 0 : kHidden;
     }},
    {"bias", [] { return bias(some_bias()); },
     [](int64_t, int64_t h, int64_t i, int64_t j) {
       return some_bias().data<double>()[(h * kT + i) * kS + j];
     }},
    {"alibi", [] { return alibi(); },
     [](int64_t, int64_t h, int64_t i, int64_t j) {
       return -std::exp2(-2.0 * static_cast<double>(h + 1)) * static_cast<double>(std::abs(i + 2 - j));
     }},
    {"relative", [] { return relative(some_table(), 16); },
     [](int64_t, int64_t h, int64_t i, int64_t j) {
       return some_table().data<double>()[relative_bucket(j - i - 2, 8, 16, true) * kH + h];
     }},
    {"local_m", [] { return local_m(2); },
     [](int64_t, int64_t, int64_t i, int64_t j) { return std::abs(i - j) <= 2 ? 0 : kHidden; }},
    {"causal_window_lengths",
     [] {
       return causal() & window(2) & lengths(ints({6, 3}));
     },
     [](int64_t b, int64_t, int64_t i, int64_t j) {
       return j <= i + 2 && i + 2 - j <= 2 && j < (b ? 3 : 6) ? 0 : kHidden;
     }},
    {"all_kinds", [] { return bias(some_bias()) & alibi() & visible(some_truth()) & causal(); },
     [](int64_t b, int64_t h, int64_t i, int64_t j) {
       if (!some_truth().data<uint8_t>()[(b * kT + i) * kS + j] || j > i + 2) return kHidden;
       return some_bias().data<double>()[(h * kT + i) * kS + j] -
              std::exp2(-2.0 * static_cast<double>(h + 1)) * static_cast<double>(std::abs(i + 2 - j));
     }},
};

class Masks : public ::testing::TestWithParam<MaskCase> {};

TEST_P(Masks, IsItsDefinition) {
  Random random(21);
  const Tensor q = random_tensor({kB, kT, kH, 3}, DType::kF64, random),
               k = random_tensor({kB, kS, kH, 3}, DType::kF64, random);
  const Tensor v = random_tensor({kB, kS, kH, 2}, DType::kF64, random);
  const Mask mask = GetParam().make();
  const Look all;
  for (const Path path : {Path::kPlain, Path::kFused}) {
    AttendOptions options;
    options.score = &score_named("dot");
    options.mask = &mask;
    options.path = path;
    options.look = &all;
    const Attended y = attend(q, k, v, options);
    for (int64_t b = 0; b < kB; ++b)
      for (int64_t h = 0; h < kH; ++h) {
        Matrix e(kT), values;
        for (int64_t j = 0; j < kS; ++j) values.push_back(vector_at(v, (b * kS + j) * kH + h));
        for (int64_t i = 0; i < kT; ++i)
          for (int64_t j = 0; j < kS; ++j)
            e[static_cast<size_t>(i)].push_back(
                dot(vector_at(q, (b * kT + i) * kH + h), vector_at(k, (b * kS + j) * kH + h)) +
                GetParam().added(b, h, i, j));
        const NaiveRead want = naive_attention(e, values);
        for (int64_t i = 0; i < kT; ++i) {
          const Vector weights = vector_at(y.seen.weights, (b * kH + h) * kT + i);
          for (size_t j = 0; j < kS; ++j)
            EXPECT_NEAR(weights[j], want.weights[static_cast<size_t>(i)][j], 1e-10)
                << "b " << b << " h " << h << " i " << i << " j " << j;
          const Vector context = vector_at(y.context.value(), (b * kT + i) * kH + h);
          for (size_t m = 0; m < 2; ++m)
            EXPECT_NEAR(context[m], want.context[static_cast<size_t>(i)][m], 1e-10);
        }
      }
  }
}

TEST_P(Masks, GradientsAreTheDerivatives) {
  const Mask mask = GetParam().make();
  for (const Path path : {Path::kPlain, Path::kFused})
    expect_gradients(
        {Tensor::zeros({kB, kT, kH, 2}), Tensor::zeros({kB, kS, kH, 2}), Tensor::zeros({kB, kS, kH, 3})},
        [&](const std::vector<Var>& in) {
          AttendOptions options;
          options.mask = &mask;
          options.path = path;
          return attend(in[0], in[1], in[2], options).context;
        });
}

INSTANTIATE_TEST_SUITE_P(Table, Masks, ::testing::ValuesIn(kMasks),
                         [](const ::testing::TestParamInfo<MaskCase>& info) { return info.param.name; });

// Luong's equations 9 and 10, as loops.
TEST(LocalP, IsItsDefinition) {
  Random random(22);
  const int64_t T = 3, S = 9, n = 4, a = 5, reach = 2;
  const Tensor q = random_tensor({1, T, 1, n}, DType::kF64, random),
               k = random_tensor({1, S, 1, n}, DType::kF64, random);
  const Tensor v = random_tensor({1, S, 1, 2}, DType::kF64, random),
               wp = random_tensor({a, n}, DType::kF64, random);
  const Tensor vp = random_tensor({a}, DType::kF64, random);
  for (const int64_t length : {S, int64_t{6}}) {
    const Mask mask = local_p(wp, vp, reach) & lengths(ints({static_cast<int32_t>(length)}));
    const Look all;
    for (const Path path : {Path::kPlain, Path::kFused}) {
      AttendOptions options;
      options.mask = &mask;
      options.path = path;
      options.look = &all;
      const Attended y = attend(q, k, v, options);
      for (int64_t i = 0; i < T; ++i) {
        Vector hidden = times(matrix_of(wp), vector_at(q, i));
        double x = 0;
        for (size_t c = 0; c < hidden.size(); ++c) x += vector_at(vp, 0)[c] * std::tanh(hidden[c]);
        const double p = static_cast<double>(length) / (1 + std::exp(-x));
        Matrix e(1), values(static_cast<size_t>(S), Vector(1, 0.0));
        for (int64_t j = 0; j < S; ++j)
          e[0].push_back(j < length && std::abs(static_cast<double>(j) - std::nearbyint(p)) <= reach
                             ? dot(vector_at(q, i), vector_at(k, j)) / 2
                             : kHidden);
        const Vector softmax = naive_attention(e, values).weights[0];
        for (int64_t j = 0; j < S; ++j) {
          const double away = (static_cast<double>(j) - p) / (reach / 2.0);
          EXPECT_NEAR(vector_at(y.seen.weights, i)[static_cast<size_t>(j)],
                      softmax[static_cast<size_t>(j)] * std::exp(-away * away / 2), 1e-10);
        }
      }
    }
  }
}

TEST(LocalP, GradientsReachThePredictor) {
  for (const Path path : {Path::kPlain, Path::kFused})
    expect_gradients({Tensor::zeros({2, 3, 2, 4}), Tensor::zeros({2, 7, 2, 4}), Tensor::zeros({2, 7, 2, 2}),
                      Tensor::zeros({2, 5, 4}), Tensor::zeros({2, 5})},
                     [&](const std::vector<Var>& in) {
                       const Mask mask = local_p(in[3], in[4], 3);
                       AttendOptions options;
                       options.mask = &mask;
                       options.path = path;
                       return attend(in[0], in[1], in[2], options).context;
                     });
}

TEST(MaskGradients, ReachABiasHoweverItIsShared) {
  const Shape shapes[] = {{2, 2, 3, 4}, {1, 2, 3, 4}, {2, 1, 3, 4}, {1, 1, 1, 4}, {3, 4}, {2, 3, 1}};
  for (const Shape& shape : shapes)
    for (const Path path : {Path::kPlain, Path::kFused})
      expect_gradients({Tensor::zeros({2, 3, 2, 3}), Tensor::zeros({2, 4, 1, 3}), Tensor::zeros({2, 4, 1, 2}),
                        Tensor::zeros(shape)},
                       [&](const std::vector<Var>& in) {
                         const Mask mask = bias(in[3]) & causal();
                         AttendOptions options;
                         options.mask = &mask;
                         options.path = path;
                         return attend(in[0], in[1], in[2], options).context;
                       });
}

TEST(MaskGradients, ReachTheTableOfRelativePositions) {
  for (const Path path : {Path::kPlain, Path::kFused})
    expect_gradients({Tensor::zeros({2, 3, 2, 3}), Tensor::zeros({2, 5, 2, 3}), Tensor::zeros({2, 5, 2, 2}),
                      Tensor::zeros({6, 2})},
                     [&](const std::vector<Var>& in) {
                       const Mask mask = relative(in[3], 8) & alibi();
                       AttendOptions options;
                       options.mask = &mask;
                       options.path = path;
                       return attend(in[0], in[1], in[2], options).context;
                     });
}

// Values of Press et al.'s own formula, for a power of two and for 12 heads.
TEST(Alibi, SlopesAreThePapers) {
  EXPECT_DOUBLE_EQ(alibi_slope(0, 8), 0.5);
  EXPECT_DOUBLE_EQ(alibi_slope(7, 8), 1.0 / 256);
  EXPECT_DOUBLE_EQ(alibi_slope(7, 12), 1.0 / 256);
  EXPECT_DOUBLE_EQ(alibi_slope(8, 12), std::exp2(-0.5));
  EXPECT_DOUBLE_EQ(alibi_slope(11, 12), std::exp2(-3.5));
}

TEST(RelativeBuckets, SmallDistancesAreExactAndLargeOnesShare) {
  for (int64_t distance = 0; distance < 8; ++distance) {
    EXPECT_EQ(relative_bucket(-distance, 32, 128, true), distance);
    if (distance > 0) {
      EXPECT_EQ(relative_bucket(distance, 32, 128, true), 16 + distance);
    }
  }
  EXPECT_EQ(relative_bucket(-8, 32, 128, true), 8);
  EXPECT_EQ(relative_bucket(-127, 32, 128, true), 15);
  EXPECT_EQ(relative_bucket(-100'000, 32, 128, true), 15);
  EXPECT_EQ(relative_bucket(100'000, 32, 128, true), 31);
  EXPECT_EQ(relative_bucket(5, 32, 128, false), 0);
  EXPECT_EQ(relative_bucket(-15, 32, 128, false), 15);
}

TEST(MaskErrors, SayWhatWasMetAndWhatWasExpected) {
  Random random(1);
  const Tensor q = random_tensor({2, 3, 1, 4}, DType::kF32, random),
               k = random_tensor({2, 5, 1, 4}, DType::kF32, random);
  auto message = [&](const Mask& mask) -> std::string {
    AttendOptions options;
    options.mask = &mask;
    try {
      attend(q, k, k, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(lengths(ints({5, 6}))), "[lengths] length 6 of batch entry 1: expected 0 to 5");
  EXPECT_EQ(message(lengths(ints({5}))), "[lengths] shape [1] for a batch of 2: expected one length each");
  EXPECT_EQ(message(visible(Tensor::zeros({3, 4}, DType::kU8))),
            "[mask] shape [3, 4]: expected [T, S], [B, T, S] or [B, H, T, S] with B 2, H 1, T 3, S 5 (1 "
            "where shared)");
  EXPECT_EQ(message(relative(Tensor::zeros({8, 2}))),
            "[relative] a table of shape [8, 2]: expected [buckets, 1 heads]");
  EXPECT_THROW(visible(Tensor::zeros({3, 5})), Error);
  EXPECT_THROW(window(-1), Error);
}

}  // namespace
}  // namespace fovea::nn
