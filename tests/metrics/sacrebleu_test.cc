// BLEU and chrF against numbers made with sacreBLEU (tools/goldens_metrics.py).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "fovea/base/error.h"
#include "fovea/metrics/bleu.h"
#include "fovea/metrics/bleu_tokenizers.h"
#include "fovea/metrics/chrf.h"
#include "fovea/metrics/lowercase.h"
#include "fovea/metrics/words.h"

namespace fovea::metrics {
namespace {

constexpr double kTolerance = 1e-11;  // of 100

const nlohmann::json& golden() {
  static const nlohmann::json kGolden =
      nlohmann::json::parse(std::ifstream(FOVEA_TESTS_DIR "/goldens/metrics.json"));
  return kGolden;
}

struct Line {
  std::string hypothesis;
  std::vector<std::string> references;
};

std::vector<Line> lines(size_t first, size_t last) {
  std::vector<Line> found;
  for (size_t i = first; i < last; ++i) {
    const nlohmann::json& segment = golden().at("segments").at(i);
    found.push_back({segment.at(0), segment.at(1)});
  }
  return found;
}

// One column of the golden file: how its score over lines and its signature are made.
struct Column {
  bool is_bleu, lowercase, words;
  std::string tokenize;

  explicit Column(const std::string& name)
      : is_bleu(name.starts_with("bleu")),
        lowercase(name.ends_with(" lc")),
        words(name.starts_with("chrf++")),
        tokenize(name.ends_with("none")   ? "none"
                 : name.ends_with("char") ? "char"
                 : name.ends_with("zh")   ? "zh"
                                          : "13a") {}

  BleuOptions bleu_options(bool one_line) const {
    return {.tokenize = tokenize, .lowercase = lowercase, .effective_order = one_line};
  }
  ChrfOptions chrf_options() const { return {.words = words, .lowercase = lowercase}; }

  double score(const std::vector<Line>& corpus, bool one_line) const {
    BleuCounts bleu;
    ChrfCounts chrf;
    for (const Line& line : corpus) {
      const std::vector<std::string_view> references(line.references.begin(), line.references.end());
      if (is_bleu)
        bleu += bleu_counts(line.hypothesis, references, bleu_options(one_line));
      else
        chrf += chrf_counts(line.hypothesis, references, chrf_options());
    }
    return is_bleu ? bleu_score(bleu, bleu_options(one_line)).score : chrf_score(chrf);
  }
  std::string signature(size_t references) const {
    return is_bleu ? bleu_signature(references, bleu_options(false))
                   : chrf_signature(references, chrf_options());
  }
};

std::vector<Column> columns() {
  std::vector<Column> found;
  for (const std::string name : golden().at("scores")) found.emplace_back(name);
  return found;
}

TEST(Sacrebleu, EverySingleLineHasItsScores) {
  const size_t count = golden().at("segments").size();
  ASSERT_GT(count, 200u);
  const std::vector<Column> all = columns();
  for (size_t i = 0; i < count; ++i)
    for (size_t c = 0; c < all.size(); ++c)
      EXPECT_NEAR(all[c].score(lines(i, i + 1), true),
                  golden().at("segments").at(i).at(2).at(c).get<double>(), kTolerance)
          << golden().at("scores").at(c) << " of " << golden().at("segments").at(i);
}

TEST(Sacrebleu, EveryCorpusHasItsScores) {
  const std::vector<Column> all = columns();
  for (const nlohmann::json& corpus : golden().at("corpora"))
    for (size_t c = 0; c < all.size(); ++c)
      EXPECT_NEAR(all[c].score(lines(corpus.at(0), corpus.at(1)), false), corpus.at(3).at(c).get<double>(),
                  kTolerance)
          << golden().at("scores").at(c) << " of segments " << corpus.at(0) << " to " << corpus.at(1);
}

TEST(Sacrebleu, TheLineOfBleuReadsTheSame) {
  for (const nlohmann::json& corpus : golden().at("corpora")) {
    BleuCounts counts;
    for (const Line& line : lines(corpus.at(0), corpus.at(1))) {
      const std::vector<std::string_view> references(line.references.begin(), line.references.end());
      counts += bleu_counts(line.hypothesis, references);
    }
    const BleuScore score = bleu_score(counts);
    EXPECT_EQ(fmt::format("BLEU = {:.2f} {}", score.score, bleu_details(counts, score)),
              corpus.at(4).get<std::string>());
  }
}

TEST(Sacrebleu, SignaturesDifferInTheirVersionOnly) {
  const std::vector<Column> all = columns();
  for (const nlohmann::json& corpus : golden().at("corpora"))
    for (size_t c = 0; c < all.size(); ++c)
      EXPECT_EQ(all[c].signature(corpus.at(2)), corpus.at(5).at(c).get<std::string>() + "-fovea");
}

TEST(Sacrebleu, TokenizersCutTheSameWords) {
  const std::vector<std::string> names = {"13a", "none", "char", "zh"};
  for (const nlohmann::json& entry : golden().at("tokenized")) {
    const auto line = entry.at(0).get<std::string>();
    for (size_t t = 0; t < names.size(); ++t) {
      std::string spaced;
      bleu_tokenizer_named(names[t]).spaced(strip_end(line), spaced);
      EXPECT_EQ(fmt::format("{}", fmt::join(split_words(spaced), " ")), entry.at(1).at(t).get<std::string>())
          << names[t] << " of " << line;
    }
  }
}

TEST(Sacrebleu, WhiteSpaceIsThatOfPython) {
  const auto spaces = golden().at("spaces").get<std::set<uint32_t>>();
  for (uint32_t code = 0; code < 0x110000; ++code) ASSERT_EQ(is_space(code), spaces.contains(code)) << code;
}

TEST(Sacrebleu, SmallLettersAreThoseOfPython) {
  for (const nlohmann::json& entry : golden().at("lowercase"))
    EXPECT_EQ(lowercase(entry.at(0).get<std::string>()), entry.at(1).get<std::string>());
}

TEST(Sacrebleu, ACorpusOnSeveralThreadsHasTheSumOfItsLines) {
  std::vector<std::string> hypotheses, references;
  for (int times = 0; times < 5; ++times)  // several blocks of lines
    for (const Line& line : lines(0, 120)) {
      hypotheses.push_back(line.hypothesis);
      references.push_back(line.references.front());
    }
  BleuCounts bleu_sum;
  ChrfCounts chrf_sum;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const std::string_view reference = references[i];
    bleu_sum += bleu_counts(hypotheses[i], {&reference, 1});
    chrf_sum += chrf_counts(hypotheses[i], {&reference, 1}, {.words = true});
  }
  EXPECT_EQ(bleu(hypotheses, references), bleu_score(bleu_sum).score);
  EXPECT_EQ(chrf(hypotheses, references, {.words = true}), chrf_score(chrf_sum));
  EXPECT_GT(bleu(hypotheses, references), 1);
  references.pop_back();
  EXPECT_THROW(bleu(hypotheses, references), Error);
}

}  // namespace
}  // namespace fovea::metrics
