// Attention on arrays of a caller.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "fovea/fovea.h"
#include "fovea/nn/masks/spec.h"
#include "tests/error_message.h"

namespace fovea {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Numbers {
  std::vector<int64_t> shape;
  std::vector<float> values;
  ArrayView view() const { return {shape, values.data()}; }
};

Numbers drawn(std::vector<int64_t> shape, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  size_t size = 1;
  for (const int64_t n : shape) size *= static_cast<size_t>(n);
  Numbers numbers{std::move(shape), std::vector<float>(size)};
  for (float& x : numbers.values) x = normal(random);
  return numbers;
}

TEST(AttendArrays, ScaledDotIsTheFormula) {
  const Numbers q = drawn({3, 4}, 1), k = drawn({5, 4}, 2), v = drawn({5, 2}, 3);
  const Attended y = attend(q.view(), k.view(), v.view(), {.causal = true, .weights = true});
  ASSERT_THAT(y.context.shape(), ElementsAre(3, 2));
  ASSERT_THAT(y.weights.shape(), ElementsAre(1, 1, 3, 5));
  for (size_t t = 0; t < 3; ++t) {
    // The last query stands beside the last key.
    const size_t keys = t + 3;
    std::vector<double> e(keys);
    double sum = 0;
    for (size_t s = 0; s < keys; ++s) {
      double dot = 0;
      for (size_t i = 0; i < 4; ++i)
        dot += static_cast<double>(q.values[t * 4 + i]) * static_cast<double>(k.values[s * 4 + i]);
      sum += e[s] = std::exp(dot / 2);
    }
    for (size_t c = 0; c < 2; ++c) {
      double context = 0;
      for (size_t s = 0; s < keys; ++s) context += e[s] / sum * static_cast<double>(v.values[s * 2 + c]);
      EXPECT_NEAR(y.context.numbers()[t * 2 + c], context, 1e-5);
    }
    for (size_t s = 0; s < 5; ++s)
      EXPECT_NEAR(y.weights.numbers()[t * 5 + s], s < keys ? e[s] / sum : 0, 1e-6);
  }
}

TEST(AttendArrays, GradientsAreThoseOfDifferences) {
  const Numbers q = drawn({2, 3, 4}, 1), k = drawn({2, 5, 4}, 2), v = drawn({2, 5, 4}, 3),
                W = drawn({2, 2}, 4), up = drawn({2, 3, 4}, 5);
  const auto loss = [&](const Numbers& query, const Numbers& weight) {
    const Attended y = attend(query.view(), k.view(), v.view(),
                              {.score = "general", .params = {{"W", weight.view()}}, .heads = 2});
    double sum = 0;
    for (size_t i = 0; i < up.values.size(); ++i)
      sum += static_cast<double>(y.context.numbers()[i]) * static_cast<double>(up.values[i]);
    return sum;
  };
  const Attended y =
      attend(q.view(), k.view(), v.view(),
             {.score = "general", .params = {{"W", W.view()}}, .heads = 2, .upstream = up.view()});
  ASSERT_THAT(y.gradients.at("query").shape(), ElementsAre(2, 3, 4));
  ASSERT_THAT(y.gradients.at("W").shape(), ElementsAre(2, 2));
  EXPECT_TRUE(y.gradients.count("key") && y.gradients.count("value"));
  const float h = 1e-2f;
  for (size_t i = 0; i < q.values.size(); i += 5) {
    Numbers more = q, less = q;
    more.values[i] += h;
    less.values[i] -= h;
    EXPECT_NEAR(y.gradients.at("query").numbers()[i],
                (loss(more, W) - loss(less, W)) / (2 * static_cast<double>(h)), 2e-3);
  }
  for (size_t i = 0; i < W.values.size(); ++i) {
    Numbers more = W, less = W;
    more.values[i] += h;
    less.values[i] -= h;
    EXPECT_NEAR(y.gradients.at("W").numbers()[i],
                (loss(q, more) - loss(q, less)) / (2 * static_cast<double>(h)), 2e-3);
  }
}

TEST(AttendArrays, MasksAndNamesAreChecked) {
  const Numbers q = drawn({3, 4}, 1), k = drawn({5, 4}, 2), v = drawn({5, 2}, 3);
  const auto message = [&](const AttendOptions& options) {
    return error_of([&] { attend(q.view(), k.view(), v.view(), options); });
  };
  EXPECT_THAT(message({.score = "adittive"}), HasSubstr("did you mean 'additive'?"));
  EXPECT_THAT(message({.mask = "window:x"}), HasSubstr("window"));
  EXPECT_THAT(message({.heads = 3}), HasSubstr("query has width 4, which 3 heads do not share"));
  EXPECT_THAT(message({.score = "general"}), HasSubstr("needs the parameter W"));
  EXPECT_THAT(error_of([&] { attend({}, k.view(), v.view()); }), HasSubstr("there is no query"));
  EXPECT_EQ(message({.mask = "window:1"}), "no error");
  EXPECT_EQ(message({.causal = true, .mask = "none"}), "no error");
  EXPECT_THAT(message({.kv_heads = -2}), HasSubstr("kv_heads -2"));
  EXPECT_THAT(message({.hard = "soft"}), HasSubstr("reads from everywhere"));
  EXPECT_THAT(message({.lengths = {4294967299}}), HasSubstr("4294967299"));
  EXPECT_THAT(message({.upstream = {{3, 2}, nullptr}}), HasSubstr("has no data"));
}

TEST(AttendArrays, EveryMaskOfTheTableWorksByItsNameOrSaysWhatToGive) {
  const Numbers q = drawn({3, 4}, 1), k = drawn({3, 4}, 2), v = drawn({3, 2}, 3), Wp = drawn({4, 4}, 4),
                vp = drawn({4}, 5);
  for (const nn::MaskKind& kind : nn::mask_table()) {
    AttendOptions options;
    options.mask = kind.name + std::string(kind.numbers.empty() ? "" : ":2");
    if (std::string(kind.name) == "local-p") options.params = {{"Wp", Wp.view()}, {"vp", vp.view()}};
    const std::string message = error_of([&] { attend(q.view(), k.view(), v.view(), options); });
    const bool array = !kind.make || std::string(kind.name) == "relative";
    EXPECT_THAT(message, HasSubstr(array ? "is an array: give it by itself" : "no error")) << kind.name;
  }
  const Numbers table = drawn({8, 1}, 6);
  EXPECT_EQ(error_of([&] { attend(q.view(), k.view(), v.view(), {.relative = table.view()}); }), "no error");
}

TEST(AttendArrays, WeightsOfACallerBecomeAMap) {
  const Numbers weights{{2, 3}, {0.5f, 0.5f, 0, 0.25f, 0.25f, 0.5f}};
  const Map map = map_of(weights.view(), {"a", "b"}, {"x", "y", "z"}, "mine");
  EXPECT_THAT(map.text(), HasSubstr("0.25"));
  EXPECT_THAT(map.svg(), HasSubstr("mine"));
  EXPECT_THAT(error_of([&] { map_of(weights.view(), {"a"}, {"x", "y", "z"}); }), HasSubstr("["));
}

}  // namespace
}  // namespace fovea
