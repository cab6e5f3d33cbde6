// One row for each score: its formula as a loop. The table does the rest: naive loops, gradients, masking,
// heads, batches.
#include <gtest/gtest.h>

#include "fovea/nn/attend.h"
#include "gradients.h"
#include "naive.h"

namespace fovea::nn {
namespace {

using namespace fovea::testing;

struct ScoreCase {
  const char* name;
  NaiveScore naive;
};

double additive_of(const Vector& hidden, const Vector& v) {
  double sum = 0;
  for (size_t a = 0; a < v.size(); ++a) sum += v[a] * std::tanh(hidden[a]);
  return sum;
}

const ScoreCase kScores[] = {
    {"dot", [](const Vector& q, const Vector& k, int64_t, const NaiveParams&) { return dot(q, k); }},
    {"scaled_dot", [](const Vector& q, const Vector& k, int64_t,
                      const NaiveParams&) { return dot(q, k) / std::sqrt(static_cast<double>(q.size())); }},
    {"mean_dot", [](const Vector& q, const Vector& k, int64_t,
                    const NaiveParams&) { return dot(q, k) / static_cast<double>(q.size()); }},
    {"general", [](const Vector& q, const Vector& k, int64_t,
                   const NaiveParams& p) { return dot(q, times(matrix_of(p.at("W")), k)); }},
    {"additive",
     [](const Vector& q, const Vector& k, int64_t, const NaiveParams& p) {
       Vector hidden = times(matrix_of(p.at("Wq")), q);
       const Vector from_key = times(matrix_of(p.at("Wk")), k);
       for (size_t a = 0; a < hidden.size(); ++a) hidden[a] += from_key[a];
       return additive_of(hidden, vector_at(p.at("v"), 0));
     }},
    {"concat",
     [](const Vector& q, const Vector& k, int64_t, const NaiveParams& p) {
       Vector both = q;
       both.insert(both.end(), k.begin(), k.end());
       return additive_of(times(matrix_of(p.at("W")), both), vector_at(p.at("v"), 0));
     }},
    {"location", [](const Vector& q, const Vector&, int64_t j,
                    const NaiveParams& p) { return dot(vector_at(p.at("W"), j), q); }},
};

// Random arrays for one score.
struct ScoreArrays {
  const Score& score;
  Tensor q, k, v;
  std::vector<Tensor> params;

  ScoreArrays(const char* name, int64_t B, int64_t T, int64_t S, int64_t H, int64_t G, bool per_head,
              DType type, uint64_t seed)
      : score(score_named(name)) {
    Random random(seed);
    const bool dots = wants_equal_widths(score);
    const int64_t nq = 5, nk = dots ? 5 : 3;
    q = random_tensor({B, T, H, nq}, type, random);
    k = random_tensor({B, S, G, nk}, type, random);
    v = random_tensor({B, S, G, 4}, type, random);
    for (const ScoreParam& spec : score.params({.query = nq, .key = nk, .hidden = 6, .max_keys = S + 2})) {
      Shape shape = spec.shape;
      if (per_head) {
        shape = {H};
        for (int64_t size : spec.shape) shape.push_back(size);
      }
      params.push_back(random_tensor(shape, type, random));
    }
  }

  NaiveParams params_of_head(int64_t h) const {
    NaiveParams named;
    size_t i = 0;
    for (const ScoreParam& spec :
         score.params({.query = 5, .key = k.dim(3), .hidden = 6, .max_keys = k.dim(1) + 2})) {
      const Tensor& p = params[i++];
      named[spec.name] = p.rank() > spec.shape.rank() ? p.slice(h, h + 1).reshape(spec.shape) : p;
    }
    return named;
  }

  Attended run(Path path, const Mask& mask = {}, const Look* look = nullptr) const {
    std::vector<Var> vars(params.begin(), params.end());
    AttendOptions options;
    options.score = &score;
    options.score_params = vars;
    options.mask = &mask;
    options.path = path;
    options.look = look;
    return attend(q, k, v, options);
  }
};

// The plain steps, and the fused kernel where the score has one.
std::vector<Path> paths_of(const char* name) {
  if (!score_named(name).fused) return {Path::kPlain};
  return {Path::kPlain, Path::kFused};
}

class Scores : public ::testing::TestWithParam<ScoreCase> {};

TEST_P(Scores, IsItsFormula) {
  for (const bool per_head : {false, true}) {
    const ScoreArrays s(GetParam().name, 2, 3, 6, 4, 2, per_head, DType::kF64, 11);
    const Look all;
    for (const Path path : paths_of(GetParam().name)) {
      const Attended y = s.run(path, {}, &all);
      EXPECT_EQ(y.fused, path == Path::kFused);
      for (int64_t b = 0; b < 2; ++b)
        for (int64_t h = 0; h < 4; ++h) {
          const NaiveParams params = s.params_of_head(h);
          Matrix e(3), values;
          for (int64_t j = 0; j < 6; ++j) values.push_back(vector_at(s.v, (b * 6 + j) * 2 + h / 2));
          for (int64_t i = 0; i < 3; ++i)
            for (int64_t j = 0; j < 6; ++j)
              e[static_cast<size_t>(i)].push_back(GetParam().naive(
                  vector_at(s.q, (b * 3 + i) * 4 + h), vector_at(s.k, (b * 6 + j) * 2 + h / 2), j, params));
          const NaiveRead want = naive_attention(e, values);
          for (int64_t i = 0; i < 3; ++i) {
            const auto row = static_cast<size_t>(i);
            const Vector context = vector_at(y.context.value(), (b * 3 + i) * 4 + h);
            const Vector weights = vector_at(y.seen.weights, (b * 4 + h) * 3 + i);
            for (size_t m = 0; m < 4; ++m) EXPECT_NEAR(context[m], want.context[row][m], 1e-10);
            for (size_t j = 0; j < 6; ++j) EXPECT_NEAR(weights[j], want.weights[row][j], 1e-10);
          }
        }
    }
  }
}

TEST_P(Scores, GradientsAreTheDerivatives) {
  for (const Path path : paths_of(GetParam().name))
    for (const bool per_head : {false, true}) {
      const ScoreArrays s(GetParam().name, 2, 3, 4, 2, 1, per_head, DType::kF64, 12);
      const Mask mask = causal();
      std::vector<Tensor> inputs = {s.q, s.k, s.v};
      inputs.insert(inputs.end(), s.params.begin(), s.params.end());
      expect_gradients(inputs, [&](const std::vector<Var>& in) {
        AttendOptions options;
        options.score = &s.score;
        options.score_params = std::span<const Var>(in).subspan(3);
        options.mask = &mask;
        options.path = path;
        return attend(in[0], in[1], in[2], options).context;
      });
    }
}

TEST_P(Scores, F32IsPlainInF64) {
  const ScoreArrays wide(GetParam().name, 3, 37, 70, 4, 2, true, DType::kF64, 13);
  ScoreArrays narrow = wide;
  for (Tensor* x : {&narrow.q, &narrow.k, &narrow.v}) *x = x->to(DType::kF32);
  for (Tensor& x : narrow.params) x = x.to(DType::kF32);
  const Mask mask = causal() & window(20);
  const Tensor want = wide.run(Path::kPlain, mask).context.value();
  for (const Path path : paths_of(GetParam().name))
    EXPECT_LE(tensor_difference(narrow.run(path, mask).context.value(), want), 1e-5);
}

TEST_P(Scores, HiddenKeysCanHoldAnythingFinite) {
  ScoreArrays s(GetParam().name, 1, 2, 5, 1, 1, false, DType::kF32, 14);
  const Mask mask = lengths(Tensor::of<int32_t>({1}, std::vector<int32_t>{3}));
  for (const Path path : paths_of(GetParam().name)) {
    const Tensor before = s.run(path, mask).context.value();
    ScoreArrays changed = s;
    changed.k = s.k.copy();
    changed.v = s.v.copy();
    for (int64_t x = 3 * s.k.dim(3); x < changed.k.size(); ++x) changed.k.data<float>()[x] = 1e6f;
    for (int64_t x = 3 * s.v.dim(3); x < changed.v.size(); ++x) changed.v.data<float>()[x] = -1e6f;
    EXPECT_EQ(changed.run(path, mask).context.value().values<float>(), before.values<float>());
  }
}

TEST_P(Scores, AnEntryDoesNotDependOnItsBatch) {
  const ScoreArrays s(GetParam().name, 3, 4, 9, 2, 2, true, DType::kF32, 15);
  for (const Path path : paths_of(GetParam().name)) {
    const Tensor all = s.run(path).context.value();
    ScoreArrays one = s;
    one.q = s.q.slice(1, 2);
    one.k = s.k.slice(1, 2);
    one.v = s.v.slice(1, 2);
    // The kernels promise the same bits; matrix products with parameters may round differently in other sizes.
    const Tensor alone = one.run(path).context.value();
    EXPECT_LE(tensor_difference(alone, all.slice(1, 2)), s.params.empty() && path == Path::kFused ? 0 : 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Scores, ::testing::ValuesIn(kScores),
                         [](const ::testing::TestParamInfo<ScoreCase>& info) { return info.param.name; });

TEST(ScoreTable, EveryScoreIsTested) {
  ASSERT_EQ(score_table().size(), std::size(kScores));
  for (size_t i = 0; i < std::size(kScores); ++i) EXPECT_STREQ(score_table()[i].name, kScores[i].name);
}

TEST(ScoreTable, AWrongNameGetsTheNearest) {
  try {
    score_named("scaled-dot");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[score] there is no score 'scaled-dot': did you mean 'scaled_dot'?");
  }
}

TEST(ScoreTable, ConcatIsAdditiveWithItsMatricesSideBySide) {
  ScoreArrays additive("additive", 2, 3, 5, 2, 1, false, DType::kF64, 16),
      concat = ScoreArrays("concat", 2, 3, 5, 2, 1, false, DType::kF64, 16);
  concat.q = additive.q;
  concat.k = additive.k;
  concat.v = additive.v;
  Tensor w = Tensor::empty({6, 8}, DType::kF64);  // [Wq Wk]
  for (int64_t a = 0; a < 6; ++a) {
    std::copy_n(additive.params[0].data<double>() + a * 5, 5, w.data<double>() + a * 8);
    std::copy_n(additive.params[1].data<double>() + a * 3, 3, w.data<double>() + a * 8 + 5);
  }
  concat.params = {w, additive.params[2]};
  for (const Path path : {Path::kPlain, Path::kFused})
    EXPECT_LE(tensor_difference(concat.run(path).context.value(), additive.run(path).context.value()), 1e-12);
}

TEST(ScoreTable, LocationSaysSoWhenThereAreTooManyKeys) {
  ScoreArrays s("location", 1, 2, 5, 1, 1, false, DType::kF32, 17);
  s.params[0] = s.params[0].slice(0, 4);
  EXPECT_THROW(s.run(Path::kFused), Error);
  EXPECT_THROW(s.run(Path::kPlain), Error);
}

}  // namespace
}  // namespace fovea::nn
