// From weights over pieces to alignments of words.
#include "fovea/decode/alignment.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fovea/base/error.h"
#include "fovea/base/random.h"
#include "fovea/data/alignment.h"
#include "fovea/data/blanks.h"

namespace fovea::testing {
namespace {

using Ids = std::vector<int32_t>;

constexpr uint64_t kSeed = 8;

Tensor random_weights(int64_t heads, int64_t rows, int64_t cols, uint64_t seed) {
  Random random(seed);
  Tensor w = Tensor::empty({heads, rows, cols});
  for (int64_t r = 0; r < heads * rows; ++r) {
    float* row = w.data<float>() + r * cols;
    for (int64_t c = 0; c < cols; ++c) row[c] = random.uniform() * random.uniform();
    const float sum = std::accumulate(row, row + cols, 0.0f);
    for (int64_t c = 0; c < cols; ++c) row[c] /= sum;
  }
  return w;
}

void expect_near(const Tensor& got, const Shape& shape, const std::vector<float>& want) {
  ASSERT_EQ(got.shape(), shape);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got.data<float>()[i], want[i], 1e-6) << i;
}

TEST(Alignment, PiecesOfASourceWordAddUpAndThoseOfATargetWordAreAveraged) {
  // Source: two pieces of word 0, one of word 1, <eos>. Target: word 0, two pieces of word 1, <eos>.
  const Tensor w = Tensor::of<float>({1, 4, 4}, {.1f, .2f, .3f, .4f,  //
                                                 .5f, .1f, .2f, .2f,  //
                                                 .1f, .1f, .6f, .2f,  //
                                                 .0f, .0f, .1f, .9f});
  expect_near(decode::align_words(w, Ids{0, 0, 1}, Ids{0, 1, 1}), {3, 3},
              {.3f, .3f, .4f,  //
               .4f, .4f, .2f,  //
               .0f, .1f, .9f});
}

TEST(Alignment, HeadsAreAveraged) {
  const Tensor w = Tensor::of<float>({2, 1, 2}, {.2f, .8f, .6f, .4f});
  expect_near(decode::align_pieces(w), {1, 2}, {.4f, .6f});
  expect_near(decode::align_words(w, Ids{0}, Ids{0}), {1, 2}, {.4f, .6f});
}

TEST(Alignment, RowsAddUpToOneHoweverWordsAreCut) {
  for (uint64_t seed = kSeed; seed < kSeed + 20; ++seed) {
    Random random(seed);
    const int64_t S = 1 + random.below(12), T = 1 + random.below(12), eos = random.below(2);
    const Tensor w = random_weights(1 + random.below(3), T, S, seed);
    const auto cut = [&](int64_t pieces) {
      Ids words;
      for (int64_t i = 0; i < pieces; ++i)
        words.push_back(i == 0 ? 0 : words.back() + static_cast<int32_t>(random.below(2)));
      return words;
    };
    const Ids source = cut(S - 1), target = cut(T - eos);
    const Tensor a = decode::align_words(w, source, target);
    EXPECT_EQ(a.dim(0), (target.empty() ? 0 : target.back() + 1) + eos);
    EXPECT_EQ(a.dim(1), (source.empty() ? 0 : source.back() + 1) + 1);
    for (int64_t i = 0; i < a.dim(0); ++i) {
      const float* row = a.data<float>() + i * a.dim(1);
      EXPECT_NEAR(std::accumulate(row, row + a.dim(1), 0.0), 1.0, 1e-5) << "seed " << seed;
    }
  }
}

TEST(Alignment, AWrongNumberOfWordsIsAnError) {
  const Tensor w = random_weights(1, 4, 4, kSeed);
  EXPECT_THROW(decode::align_words(w, Ids{0, 1}, Ids{0, 1, 2}), Error);
  EXPECT_THROW(decode::align_words(w, Ids{0, 1, 2}, Ids{0, 1, 2, 3, 4}), Error);
}

TEST(Alignment, HardLinksGoWhereMostOfTheWeightIs) {
  const Tensor a = Tensor::of<float>({5, 3}, {.1f, .7f, .2f,    //
                                              .6f, .3f, .1f,    //
                                              .4f, .4f, .2f,    // equal: the first
                                              .1f, .1f, .8f,    // <eos> is no word
                                              .9f, .0f, .1f});  // the target's <eos>
  EXPECT_EQ(data::format_links(decode::hard_links(a, 4)), "0-1 0-2 0-3 1-0");
  EXPECT_EQ(data::format_links(decode::hard_links(a, 0)), "");
  EXPECT_EQ(data::format_links(decode::hard_links(Tensor::full({2, 1}, 1), 2)), "");
}

TEST(Alignment, SoftOnesAreRowsOfNumbers) {
  const Tensor a = Tensor::of<float>({2, 3}, {.9f, .05f, .05f, 0, 1, 1.25e-7f});
  EXPECT_EQ(decode::format_soft(a), "0.9,0.05,0.05 0,1,1.25e-07");
  EXPECT_EQ(decode::format_soft(Tensor::zeros({0, 3})), "");
}

TEST(Alignment, IdsBelongToTheWordsOfTheTextTheyMake) {
  const std::vector<std::string> text = {"the low newer", "newer lower low the", "wide widest new"};
  for (const std::string_view kind : data::tokenizer_kinds()) {
    SCOPED_TRACE(kind);
    data::TokenizerOptions options;
    options.kind = kind;
    options.vocab_size = kind == "spm" ? 24 : kind == "wordpiece" || kind == "bpe" ? 300 : 0;
    const auto tokenizer = data::train_tokenizer(text, options);
    for (const std::string& line : text)
      EXPECT_EQ(decode::words_of_ids(*tokenizer, tokenizer->encode(line)), tokenizer->words_of(line));
    EXPECT_TRUE(decode::words_of_ids(*tokenizer, Ids{}).empty());

    // Ids that nobody would encode: any order, special ones among them.
    for (uint64_t seed = kSeed; seed < kSeed + 50; ++seed) {
      Random random(seed);
      Ids ids;
      for (int64_t i = random.below(12); i >= 0; --i)
        ids.push_back(static_cast<int32_t>(random.below(tokenizer->size())));
      const std::vector<int32_t> words = decode::words_of_ids(*tokenizer, ids);
      ASSERT_EQ(words.size(), ids.size());
      EXPECT_TRUE(std::is_sorted(words.begin(), words.end())) << "seed " << seed;
      EXPECT_EQ(words.back(), data::count_words(tokenizer->decode(ids)) - 1) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace fovea::testing
