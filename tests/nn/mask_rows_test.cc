// Masks for one query at a time against the tensors that whole sequences are trained with.
#include <gtest/gtest.h>

#include "fovea/nn/masks/spec.h"
#include "gradients.h"
#include "naive.h"

namespace fovea::nn {
namespace {

using namespace fovea::testing;

constexpr float kHidden = -std::numeric_limits<float>::infinity();

struct Drawn {
  MaskSpec spec;
  Place place;
  std::vector<Tensor> arrays;
};

// Some of the kinds that attentions at a random place can have.
Drawn draw(Random& r, int64_t heads, int64_t width) {
  Drawn d{
      {}, std::array{Place::kEncoder, Place::kDecoder, Place::kCross}[static_cast<size_t>(r.below(3))], {}};
  std::string text;
  for (const MaskKind& kind : mask_table()) {
    if (kind.why_not(d.place) || r.below(2)) continue;
    text += (text.empty() ? "" : "+") + std::string(kind.name);
    const int64_t reach = 1 + r.below(6), buckets = 2 + r.below(8);
    if (kind.name == std::string("relative"))
      text += fmt::format(":{}:{}", buckets, buckets / 2 + 1 + r.below(8));
    else if (!kind.numbers.empty())
      text += fmt::format(":{}", reach);
  }
  d.spec = text;
  for (const MaskArray& array : d.spec.arrays({.heads = heads, .width = width}))
    d.arrays.push_back(random_tensor(array.shape, DType::kF32, r));
  return d;
}

// Row `i` of head `h` of the mask of whole sequences: what it adds, kHidden where a key is hidden, the Gaussian left out.
std::vector<float> whole_row(const MaskParts& m, int64_t h, int64_t i, int64_t H, int64_t T, int64_t S) {
  const Tensor e = masked(Tensor::zeros({1, H, T, S}), m).value();
  const float* row = e.data<float>() + (h * T + i) * S;
  return {row, row + S};
}

TEST(RowMasks, AreTheRowsOfTheMasksOfWholeSequences) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Random r(seed);
    const int64_t H = 1 + r.below(5), D = 1 + r.below(4), T = 1 + r.below(9);
    const Drawn d = draw(r, H, D);
    const int64_t S = d.place == Place::kCross ? 1 + r.below(12) : T;
    const std::string what =
        fmt::format("seed {}: {} at place {}", seed, d.spec.text(), static_cast<int>(d.place));
    const Tensor q = random_tensor({1, T, H, D}, DType::kF32, r);
    const Mask mask = d.spec.mask(d.place, std::vector<Var>(d.arrays.begin(), d.arrays.end()));
    const MaskParts whole =
        mask.resolve({.batch = 1, .queries = T, .keys = S, .heads = H, .query = q, .at = {.first = 0}});
    const RowMasks rows(d.spec, d.place, d.arrays);
    for (int64_t h = 0; h < H; ++h)
      for (int64_t i = 0; i < T; ++i) {
        // A decoder's row is asked when later keys are not there yet, except those of a prefix.
        const bool grows = d.place == Place::kDecoder && !d.spec.has("prefix");
        const int64_t keys = grows ? i + 1 : S;
        std::vector<float> bias(static_cast<size_t>(keys), 77.0f);
        const RowMask row = rows.row({.query = i,
                                      .keys = keys,
                                      .head = h,
                                      .heads = H,
                                      .q = q.data<float>() + (i * H + h) * D,
                                      .width = D},
                                     rows.has_bias() ? bias.data() : nullptr);
        ASSERT_EQ(row.has_bias, rows.has_bias()) << what;
        ASSERT_TRUE(0 <= row.first && row.first <= row.last && row.last <= keys) << what;
        const std::vector<float> want = whole_row(whole, h, i, H, T, S);
        if (d.spec.has("local-p")) {
          const float centre = whole.centre.value().data<float>()[h * T + i];
          ASSERT_NEAR(row.centre, centre, 1e-4) << what;
          ASSERT_EQ(row.sigma, static_cast<float>(whole.sigma)) << what;
          if (std::abs(centre - std::floor(centre) - 0.5f) < 1e-3f)
            continue;  // either of two keys is the middle
        } else {
          ASSERT_EQ(row.sigma, 0) << what;
        }
        for (int64_t j = 0; j < S; ++j) {
          const bool seen = row.first <= j && j < row.last;
          const float got = j >= keys       ? kHidden
                            : !row.has_bias ? (seen ? 0 : kHidden)
                                            : bias[static_cast<size_t>(j)];
          ASSERT_EQ(seen, want[static_cast<size_t>(j)] != kHidden) << what << " i " << i << " j " << j;
          ASSERT_EQ(got, want[static_cast<size_t>(j)]) << what << " h " << h << " i " << i << " j " << j;
        }
      }
  }
}

TEST(RowMasks, OfHypothesesAtOnePositionAreOneRow) {
  Random r(5);
  const int64_t H = 2, T = 3, S = 7, at = 4;
  const Tensor table = random_tensor({8, H}, DType::kF32, r);
  const MaskSpec spec = "alibi+relative:8:16+local-m:2";
  const std::vector<Var> arrays = {table};
  const MaskParts whole = spec.mask(Place::kCross, arrays)
                              .resolve({.batch = 1,
                                        .queries = T,
                                        .keys = S,
                                        .heads = H,
                                        .query = {},
                                        .at = {.first = at, .same = true}});
  const RowMasks rows(spec, Place::kCross, std::array{table});
  std::vector<float> bias(S);
  for (int64_t h = 0; h < H; ++h) {
    rows.row({.query = at, .keys = S, .head = h, .heads = H}, bias.data());
    for (int64_t i = 0; i < T; ++i) EXPECT_EQ(bias, whole_row(whole, h, i, H, T, S));
  }
}

TEST(RowMasks, RefuseMasksThatAreWholeArrays) {
  for (const Mask& mask : {visible(Tensor::zeros({3, 4}, DType::kU8)), bias(Tensor::zeros({3, 4})),
                           causal() & lengths(Tensor::zeros({1}, DType::kI32))})
    EXPECT_THROW(RowMasks{mask}, Error);
}

TEST(RowMasks, RefuseArraysThatDoNotFit) {
  EXPECT_THROW(RowMasks("relative", Place::kEncoder, {}), Error);
  EXPECT_THROW(RowMasks("alibi", Place::kEncoder, std::array{Tensor::zeros({32, 2})}), Error);
  const RowMasks rows("relative", Place::kEncoder, std::array{Tensor::zeros({32, 2})});
  std::vector<float> bias(4);
  EXPECT_THROW(rows.row({.query = 0, .keys = 4, .head = 0, .heads = 3}, bias.data()), Error);
  const RowMasks predicted("local-p:2", Place::kCross,
                           std::array{Tensor::zeros({1, 4, 4}), Tensor::zeros({1, 4})});
  EXPECT_TRUE(predicted.asks_query());
  EXPECT_THROW(predicted.row({.query = 0, .keys = 4}, nullptr), Error);
}

std::string message(auto&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(MaskSpec, SurvivesBeingWritten) {
  for (const char* text :
       {"none", "window:8", "alibi+window:64", "relative:32:128+local-p:3", "causal", "prefix:0"})
    EXPECT_EQ(MaskSpec(text).text(), text);
  EXPECT_EQ(MaskSpec("").text(), "none");
  EXPECT_EQ(MaskSpec("relative").text(), "relative:32:128");
  EXPECT_EQ(MaskSpec("relative:8").text(), "relative:8:128");
}

TEST(MaskSpec, SaysWhatIsWrong) {
  EXPECT_EQ(message([] { MaskSpec("windo:3"); }), "[mask] there is no mask 'windo': did you mean 'window'?");
  EXPECT_EQ(message([] { MaskSpec("window"); }), "[mask] 'window' lacks a number: expected window:N");
  EXPECT_EQ(message([] { MaskSpec("window:x"); }),
            "[mask] 'x' in a mask window:N: expected a whole number of 0 or more");
  EXPECT_EQ(message([] { MaskSpec("window:3:4"); }), "[mask] 'window:3:4' is too long: expected window:N");
  EXPECT_EQ(message([] { MaskSpec("alibi+alibi"); }), "[mask] 'alibi+alibi' says alibi twice");
  for (const char* text : {"+", "alibi+", "window:", "window:-1", "window:1e3", "window:99999999999999999999",
                           "local-p:0", "relative:1", "alibi:2"})
    EXPECT_NE(message([&] { MaskSpec{text}; }), "") << text;
}

TEST(MaskSpec, SaysWhyAnAttentionCannotHaveAMask) {
  EXPECT_EQ(message([] { MaskSpec("local-m:5").check_at(Place::kEncoder); }),
            "[mask] local-m in the self-attention of an encoder: there is no other sequence to move along; "
            "use window:N");
  EXPECT_EQ(message([] { MaskSpec("prefix:5").check_at(Place::kCross); }),
            "[mask] prefix in cross-attention: all of its keys are seen already");
  for (const char* whole : {"lengths", "visible", "bias"})
    for (const Place place : {Place::kEncoder, Place::kDecoder, Place::kCross})
      EXPECT_NE(message([&] { MaskSpec(whole).check_at(place); }), "");
}

}  // namespace
}  // namespace fovea::nn
