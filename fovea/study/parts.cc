#include "fovea/study/parts.h"

#include <algorithm>
#include <unordered_set>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/data/blanks.h"
#include "fovea/data/held_out.h"
#include "fovea/data/parallel_text.h"
#include "fovea/train/settings.h"

namespace fovea::study {
namespace {

constexpr std::string_view kWho = "study";
constexpr double kMostTests = 1000, kMostShare = 0.1;

bool has_few_words(const std::vector<data::Pair>& pairs, std::string data::Pair::*side) {
  constexpr size_t kSpecial = 4;
  const auto most = static_cast<size_t>(train::Settings().vocab_size) - kSpecial;
  std::unordered_set<std::string_view> words;
  for (const data::Pair& pair : pairs) {
    data::for_each_word(pair.*side, [&](std::string_view word) { words.insert(word); });
    if (words.size() > most) return false;
  }
  return true;
}

}  // namespace

Parts corpus_parts(std::string_view corpus, const data::CorpusOptions& options) {
  return {data::make_corpus(corpus, options), data::corpus_named(corpus).tokenizer};
}

Parts file_parts(const std::string& source, const std::string& target) {
  std::vector<data::Pair> pairs = data::read_pairs({source, target, ""}, kWho);
  std::erase_if(pairs, [](const data::Pair& pair) {
    return data::count_words(pair.source) == 0 || data::count_words(pair.target) == 0;
  });
  Parts parts;
  data::Corpus& to = parts.pairs;
  to.source = "source";
  to.target = "target";
  const auto total = static_cast<int64_t>(pairs.size());
  const double tests = std::min(kMostShare, kMostTests / static_cast<double>(std::max<int64_t>(total, 1)));
  const double valids = tests / 2;
  for (data::Pair& pair : pairs) {
    const double place = data::place_of(pair.source);
    (place < tests ? to.test : place < tests + valids ? to.valid : to.train).push_back(std::move(pair));
  }
  check(!to.train.empty() && !to.valid.empty() && !to.test.empty(), kWho,
        "{} and {} have {} pairs of lines with words on both sides, too few to teach, validate and test "
        "with: expected some hundreds",
        source, target, grouped(total));
  if (!has_few_words(to.train, &data::Pair::source) || !has_few_words(to.train, &data::Pair::target))
    parts.tokenizer = "spm";
  return parts;
}

}  // namespace fovea::study
