// The four steps together: fused against plain on random cases, looking, dropout, errors.
#include "fovea/nn/attend.h"

#include <gtest/gtest.h>

#include "naive.h"

namespace fovea::nn {
namespace {

using namespace fovea::testing;
using autograd::Tape;

// A random attention of any score and masks, with everything a gradient can reach as inputs.
struct RandomCase {
  const Score* score;
  std::vector<Tensor> inputs;  // q, k, v, parameters, then what the mask learns
  size_t params = 0;
  std::function<Mask(std::span<const Var>)> mask;  // from the inputs after the parameters
  float dropout = 0;
  uint64_t seed;
  std::string text;

  explicit RandomCase(uint64_t from) : seed(from) {
    Random r(seed, 9);
    score = &score_table()[static_cast<size_t>(r.below(static_cast<int64_t>(score_table().size())))];
    const std::string name = score->name;
    const bool dots = wants_equal_widths(*score);
    const bool large = dots && r.below(25) == 0;  // across the kernels' blocks of 96 queries and 192 keys
    const int64_t B = 1 + r.below(3), T = 1 + r.below(large ? 150 : 20), S = 1 + r.below(large ? 300 : 30);
    const int64_t G = 1 + r.below(2), H = G * (1 + r.below(3));
    const int64_t nq = 1 + r.below(20), nk = dots ? nq : 1 + r.below(20);
    auto add = [&](const Shape& shape) { inputs.push_back(random_tensor(shape, DType::kF32, r, 0.7f)); };
    add({B, T, H, nq});
    add({B, S, G, nk});
    add({B, S, G, 1 + r.below(20)});
    const bool per_head = r.below(2);
    for (const ScoreParam& spec :
         score->params({.query = nq, .key = nk, .hidden = 1 + r.below(20), .max_keys = S + r.below(3)})) {
      Shape shape = spec.shape;
      if (per_head) {
        shape = {H};
        for (int64_t size : spec.shape) shape.push_back(size);
      }
      add(shape);
      ++params;
    }
    text = fmt::format("seed {}: {} B {} T {} S {} H {} G {} nq {} nk {}", seed, name, B, T, S, H, G, nq, nk);

    Mask fixed;
    if (r.below(3) == 0) fixed = fixed & causal(), text += " causal";
    if (r.below(4) == 0) fixed = fixed & window(r.below(8)), text += " window";
    if (r.below(5) == 0) fixed = fixed & prefix(r.below(5)), text += " prefix";
    if (r.below(5) == 0) fixed = fixed & local_m(r.below(6)), text += " local_m";
    if (r.below(5) == 0) fixed = fixed & alibi(), text += " alibi";
    if (r.below(3) == 0) {
      Tensor n = Tensor::empty({B}, DType::kI32);
      for (int32_t& x : n.span<int32_t>()) x = static_cast<int32_t>(r.below(S + 1));
      fixed = fixed & lengths(n);
      text += " lengths";
    }
    if (r.below(4) == 0) {
      Tensor seen = Tensor::empty({r.below(2) ? B : 1, r.below(2) ? H : 1, T, S}, DType::kU8);
      for (uint8_t& x : seen.span<uint8_t>()) x = r.below(4) > 0;
      fixed = fixed & visible(seen);
      text += " boolean";
    }
    const bool with_bias = r.below(4) == 0, with_table = r.below(5) == 0, with_centre = r.below(5) == 0;
    if (with_bias)
      add({r.below(2) ? B : 1, r.below(2) ? H : 1, r.below(2) ? T : 1, r.below(3) ? S : 1}), text += " bias";
    if (with_table) add({4 + 2 * r.below(4), H}), text += " relative";
    const int64_t reach = 1 + r.below(6);
    if (with_centre) {
      const int64_t a = 1 + r.below(6);
      add({a, nq});
      add({a});
      text += " local_p";
    }
    mask = [=](std::span<const Var> learned) {
      Mask m = fixed;
      size_t at = 0;
      if (with_bias) m = m & bias(learned[at++]);
      if (with_table) m = m & relative(learned[at++], 20);
      if (with_centre) m = m & local_p(learned[at], learned[at + 1], reach);
      return m;
    };
    if (r.below(5) == 0) dropout = 0.25f, text += " dropout";
  }

  // The context and the gradient of every input.
  std::vector<Tensor> run(Path path) const {
    std::vector<Tensor> grads(inputs.size());
    Tensor context;
    {
      Tape tape;
      std::vector<Var> in;
      for (size_t i = 0; i < inputs.size(); ++i) in.push_back(autograd::variable(inputs[i], grads[i]));
      const Mask m = mask(std::span<const Var>(in).subspan(3 + params));
      AttendOptions options;
      options.score = score;
      options.score_params = std::span<const Var>(in).subspan(3, params);
      options.mask = &m;
      options.dropout = dropout;
      options.seed = seed;
      options.path = path;
      const Attended y = attend(in[0], in[1], in[2], options);
      context = y.context.value();
      Random r(seed, 10);
      if (y.context.node()) tape.backward(y.context, random_tensor(context.shape(), DType::kF32, r));
    }
    for (size_t i = 0; i < grads.size(); ++i)
      if (!grads[i].defined()) grads[i] = Tensor::zeros(inputs[i].shape());
    grads.push_back(context);
    return grads;
  }
};

TEST(Attend, FusedIsPlainOnRandomCases) {
  for (uint64_t seed = 1; seed <= 2000 && !HasFailure(); ++seed) {
    const RandomCase c(seed);
    if (!c.score->fused) continue;
    const std::vector<Tensor> fused = c.run(Path::kFused), plain = c.run(Path::kPlain);
    EXPECT_LE(tensor_difference(fused.back(), plain.back()), 1e-5) << c.text;
    for (size_t i = 0; i + 1 < fused.size(); ++i)
      EXPECT_LE(tensor_difference(fused[i], plain[i]), 1e-4) << "gradient of input " << i << ", " << c.text;
  }
}

struct Arrays {
  Tensor q, k, v;
  Arrays(int64_t B, int64_t T, int64_t S, int64_t H, int64_t G, int64_t n, uint64_t seed = 1) {
    Random r(seed);
    q = random_tensor({B, T, H, n}, DType::kF32, r);
    k = random_tensor({B, S, G, n}, DType::kF32, r);
    v = random_tensor({B, S, G, n}, DType::kF32, r);
  }
};

TEST(Look, ChosenHeadsAndRowsAreThoseOfTheWhole) {
  const Arrays a(2, 9, 12, 4, 2, 8);
  const Mask mask = causal();
  for (const Path path : {Path::kFused, Path::kPlain}) {
    AttendOptions options;
    options.mask = &mask;
    options.path = path;
    const Look all, some = look_at({.batches = {1}, .heads = {3, 0}, .rows = {0, 1, 2, 7, 5}});
    options.look = &all;
    const Attended whole = attend(a.q, a.k, a.v, options);
    ASSERT_EQ(whole.seen.weights.shape(), (Shape{2, 4, 9, 12}));
    options.look = &some;
    const Attended part = attend(a.q, a.k, a.v, options);
    ASSERT_EQ(part.seen.weights.shape(), (Shape{1, 2, 5, 12}));
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t r = 0; r < 5; ++r)
        EXPECT_EQ(vector_at(part.seen.weights, h * 5 + r),
                  vector_at(whole.seen.weights, (4 + some.heads[static_cast<size_t>(h)]) * 9 +
                                                    some.rows[static_cast<size_t>(r)]));
  }
}

TEST(Look, ChangesNoOutputBit) {
  const Arrays a(2, 40, 70, 8, 8, 16);
  AttendOptions options;
  const Tensor without = attend(a.q, a.k, a.v, options).context.value();
  const Look one = look_at({.heads = {3}});
  options.look = &one;
  const Attended with = attend(a.q, a.k, a.v, options);
  EXPECT_TRUE(with.fused);
  EXPECT_EQ(with.context.value().values<float>(), without.values<float>());
}

TEST(Look, WeightsOfARowAddUpToOneOrNothing) {
  const Arrays a(1, 7, 5, 2, 1, 8);  // more queries than keys: the first ones stand before the first key
  const Mask mask = causal();
  const Look all;
  for (const Path path : {Path::kFused, Path::kPlain}) {
    AttendOptions options;
    options.mask = &mask;
    options.look = &all;
    options.path = path;
    const Attended y = attend(a.q, a.k, a.v, options);
    for (int64_t r = 0; r < 14; ++r) {
      double sum = 0;
      for (double w : vector_at(y.seen.weights, r)) sum += w;
      EXPECT_NEAR(sum, r % 7 < 2 ? 0 : 1, 1e-5) << r;
    }
  }
}

TEST(Look, ARowThatIsNotThereIsAnError) {
  const Arrays a(1, 3, 3, 2, 2, 4);
  const Look wrong = look_at({.rows = {3}});
  AttendOptions options;
  options.look = &wrong;
  EXPECT_THROW(attend(a.q, a.k, a.v, options), Error);
}

TEST(Dropout, OfWeightsDependsOnSeedAndStepAlone) {
  const Arrays a(1, 20, 50, 2, 2, 8);
  auto run = [&](uint64_t seed, uint64_t step) {
    AttendOptions options;
    options.dropout = 0.5f;
    options.seed = seed;
    options.step = step;
    return attend(a.q, a.k, a.v, options).context.value().values<float>();
  };
  EXPECT_EQ(run(1, 1), run(1, 1));
  EXPECT_NE(run(1, 1), run(1, 2));
  EXPECT_NE(run(1, 1), run(2, 1));
}

TEST(Dropout, KeepsTheMeanOfTheContext) {
  const Arrays a(1, 1, 40, 1, 1, 4);
  AttendOptions options;
  const Tensor want = attend(a.q, a.k, a.v, options).context.value();
  options.dropout = 0.3f;
  std::vector<double> mean(4, 0.0);
  const int rounds = 4000;
  for (int step = 0; step < rounds; ++step) {
    options.step = static_cast<uint64_t>(step);
    const Tensor y = attend(a.q, a.k, a.v, options).context.value();
    for (size_t m = 0; m < 4; ++m) mean[m] += y.data<float>()[m] / rounds;
  }
  for (size_t m = 0; m < 4; ++m) EXPECT_NEAR(mean[m], want.data<float>()[m], 0.03);
}

TEST(AttendErrors, SayWhatDoesNotFit) {
  const Arrays a(2, 3, 5, 2, 2, 4);
  auto message = [&](const Tensor& q, const Tensor& k, const Tensor& v,
                     const AttendOptions& options = {}) -> std::string {
    try {
      attend(q, k, v, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(a.q.reshape({2, 3, 8}), a.k, a.v),
            "[attend] query [2, 3, 8], key [2, 5, 2, 4], value [2, 5, 2, 4]: expected [batch, row, head, "
            "width] each");
  EXPECT_EQ(message(a.q, a.k, a.v.slice(0, 1)),
            "[attend] query [2, 3, 2, 4], key [2, 5, 2, 4] and value [1, 5, 2, 4] do not fit: batches must "
            "agree, and every key needs a value");
  EXPECT_EQ(message(a.q.reshape({2, 3, 1, 8}), a.k, a.v),
            "[attend] 2 key/value heads for 1 query heads: expected a divisor");
  AttendOptions hard;
  hard.weigh = &weigh_named("sample");
  hard.path = Path::kFused;
  EXPECT_EQ(message(a.q, a.k, a.v, hard), "[attend] no fused kernel for hard attention: use the plain steps");
}

TEST(AttendErrors, MissingAndMisshapenParametersAreErrorsOnBothPaths) {
  const Arrays a(1, 3, 5, 1, 1, 4);
  const Tensor w = Tensor::zeros({600, 4}), one = Tensor::zeros({1}), none = Tensor::zeros({0, 4}),
               empty = Tensor::zeros({0});
  for (const Path path : {Path::kFused, Path::kPlain}) {
    auto run = [&](const char* score, const ScoreArguments& params) {
      AttendOptions options;
      options.score = &score_named(score);
      options.score_params = params;
      options.path = path;
      return attend(a.q, a.k, a.v, options);
    };
    EXPECT_THROW(run("general", {}), Error);
    EXPECT_THROW(run("additive", {w, w}), Error);
    EXPECT_THROW(run("additive", {w, w, one}), Error);
    EXPECT_NO_THROW(run("additive", {none, none, empty}));  // a hidden layer of no units scores 0 everywhere
    EXPECT_THROW(run("dot", ScoreArguments(std::vector<Var>(5, w))), Error);
  }
  AttendOptions dropout;
  for (const float rate : {1.0f, 1.5f, -0.5f}) {
    dropout.dropout = rate;
    EXPECT_THROW(attend(a.q, a.k, a.v, dropout), Error);
  }
}

TEST(Attend, AWindowWiderThanAnythingSeesEverything) {
  const Arrays a(1, 3, 5, 1, 1, 4);
  AttendOptions options;
  const std::vector<float> want = attend(a.q, a.k, a.v, options).context.value().values<float>();
  for (const Mask& mask :
       {window(std::numeric_limits<int64_t>::max()), local_m(std::numeric_limits<int64_t>::max())}) {
    options.mask = &mask;
    EXPECT_EQ(attend(a.q, a.k, a.v, options).context.value().values<float>(), want);
  }
}

TEST(Attend, TheLowestFiniteBiasIsNotMinusInfinity) {
  const Arrays a(1, 2, 5, 1, 1, 4);
  const Tensor lowest = Tensor::full({2, 5}, std::numeric_limits<float>::lowest()),
               infinite = Tensor::full({2, 5}, -INFINITY);
  std::vector<std::vector<float>> read;
  for (const Path path : {Path::kFused, Path::kPlain})
    for (const Tensor& numbers : {lowest, infinite}) {
      const Mask mask = bias(numbers);
      AttendOptions options;
      options.mask = &mask;
      options.path = path;
      read.push_back(attend(a.q, a.k, a.v, options).context.value().values<float>());
    }
  for (size_t i = 0; i < read[0].size(); ++i)
    EXPECT_NEAR(read[0][i], read[2][i], 1e-6);  // the mean of the values
  EXPECT_NE(read[0], read[1]);
  EXPECT_EQ(read[1], std::vector<float>(8, 0.0f));
  EXPECT_EQ(read[3], std::vector<float>(8, 0.0f));
}

TEST(Attend, NaNIsNeverHidden) {
  Arrays a(1, 2, 5, 1, 1, 4);
  a.q.data<float>()[1] = std::nanf("");
  const Look all;
  for (const char* way : {"fused", "plain", "sample", "argmax"}) {
    AttendOptions options;
    options.look = &all;
    options.path = way[0] == 'f' ? Path::kFused : Path::kPlain;
    if (way[0] == 's' || way[0] == 'a') options.weigh = &weigh_named(way);
    const Attended y = attend(a.q, a.k, a.v, options);
    EXPECT_TRUE(std::isnan(y.context.value().data<float>()[0])) << way;
    EXPECT_FALSE(std::isnan(y.context.value().data<float>()[4])) << way;
    if (!options.weigh) {
      EXPECT_TRUE(std::isnan(y.seen.weights.data<float>()[0])) << way;
    }
  }
}

TEST(Attend, LengthsAndLocalPDoNotDependOnTheirOrder) {
  const Arrays a(1, 3, 9, 1, 1, 4);
  Random r(5);
  const Tensor wp = random_tensor({3, 4}, DType::kF32, r), vp = random_tensor({3}, DType::kF32, r);
  const Mask four = lengths(Tensor::of<int32_t>({1}, std::vector<int32_t>{4})),
             nine = lengths(Tensor::of<int32_t>({1}, std::vector<int32_t>{9}));
  std::vector<std::vector<float>> read;
  for (const Mask& mask : {local_p(wp, vp, 2) & four & nine, nine & local_p(wp, vp, 2) & four}) {
    AttendOptions options;
    options.mask = &mask;
    read.push_back(attend(a.q, a.k, a.v, options).context.value().values<float>());
  }
  EXPECT_EQ(read[0], read[1]);
}

TEST(Attend, EmptyBatchesAndSequencesAreNoFailure) {
  for (const Mask& mask : {lengths(Tensor::zeros({0}, DType::kI32)) & causal(), causal() & alibi()}) {
    const Arrays a(0, 3, 5, 2, 1, 4);
    AttendOptions options;
    options.mask = &mask;
    for (const Path path : {Path::kFused, Path::kPlain}) {
      options.path = path;
      EXPECT_EQ(attend(a.q, a.k, a.v, options).context.shape(), (Shape{0, 3, 2, 4}));
    }
  }
}

TEST(Attend, NoKeysAndNoQueriesAreNoFailure) {
  const Arrays none(1, 3, 0, 2, 2, 4), nobody(1, 0, 3, 2, 2, 4), flat(1, 3, 5, 1, 1, 0);
  AttendOptions hard;
  hard.weigh = &weigh_named("argmax");
  for (float x : attend(none.q, none.k, none.v, hard).context.value().span<float>()) EXPECT_EQ(x, 0.0f);
  const Look all;
  AttendOptions even;  // vectors of no width: every key is as good as any other
  even.look = &all;
  for (float w : attend(flat.q, flat.k, flat.v, even).seen.weights.span<float>()) EXPECT_FLOAT_EQ(w, 0.2f);
  for (const Path path : {Path::kFused, Path::kPlain}) {
    AttendOptions options;
    options.path = path;
    for (float x : attend(none.q, none.k, none.v, options).context.value().span<float>()) EXPECT_EQ(x, 0.0f);
    EXPECT_EQ(attend(nobody.q, nobody.k, nobody.v, options).context.shape(), (Shape{1, 0, 2, 4}));
  }
}

}  // namespace
}  // namespace fovea::nn
