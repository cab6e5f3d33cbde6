// Draws pairs until every part has as many as it should.
#include <algorithm>
#include <unordered_set>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/data/corpora.h"

namespace fovea::data {
namespace {

// What is made at once is held in memory.
constexpr int64_t kMostLines = 10'000'000, kMostWords = 100'000'000;
// So many draws in a row without a new line, and there are hardly any left.
constexpr int64_t kPatience = 200'000;

// FNV-1a, with the bits of MurmurHash3's end mixed in so that the remainder by 100 depends on all of them.
uint64_t hash_of(std::string_view text) {
  uint64_t h = 0xCBF29CE484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  h = (h ^ (h >> 33)) * 0xFF51AFD7ED558CCD;
  h = (h ^ (h >> 33)) * 0xC4CEB9FE1A85EC53;
  return h ^ (h >> 33);
}

struct Part {
  const char* name;
  std::vector<Pair>* pairs;
  int64_t wanted;
  bool full() const { return static_cast<int64_t>(pairs->size()) >= wanted; }
};

int64_t count(const char* part, int64_t asked, int64_t by_default) {
  check(asked <= kMostLines, "corpus", "{} lines for {}: at most {} can be asked for", asked, part,
        kMostLines);
  return asked < 0 ? by_default : asked;
}

Recipe recipe_for(const CorpusKind& kind, const CorpusOptions& options) {
  Recipe recipe{.min_words = options.min_words, .max_words = options.max_words, .language = kind.targets[0]};
  // One limit alone moves the other where it must.
  if (recipe.min_words <= 0)
    recipe.min_words = recipe.max_words > 0 ? std::min(kind.min_words, recipe.max_words) : kind.min_words;
  if (recipe.max_words <= 0) recipe.max_words = std::max(kind.max_words, recipe.min_words);
  check(recipe.min_words <= recipe.max_words && recipe.min_words >= kind.fewest_words &&
            recipe.max_words <= kind.most_words,
        "corpus", "{} with {} to {} words in a line: expected a range within {} to {}", kind.name,
        recipe.min_words, recipe.max_words, kind.fewest_words, kind.most_words);
  if (!options.language.empty()) {
    const auto found = std::find(kind.targets.begin(), kind.targets.end(), options.language);
    check(found != kind.targets.end(), "corpus", "{} has no language {}; it has {}", kind.name,
          quote(options.language),
          nearest_first(options.language, {kind.targets.begin(), kind.targets.end()}));
    recipe.language = *found;
  }
  return recipe;
}

}  // namespace

Corpus make_corpus(std::string_view name, const CorpusOptions& options) {
  const CorpusKind& kind = corpus_named(name);
  const Recipe recipe = recipe_for(kind, options);
  Corpus corpus;
  corpus.source = kind.source;
  corpus.target = recipe.language;
  Part parts[] = {{"train", &corpus.train, count("train", options.train, kind.train)},
                  {"valid", &corpus.valid, count("valid", options.valid, kind.valid)},
                  {"test", &corpus.test, count("test", options.test, kind.test)}};
  int64_t lines = 0;
  for (const Part& part : parts) lines += part.wanted;
  check(
      lines <= kMostWords / recipe.max_words, "corpus",
      "{} lines of up to {} words: at most {} words can be made at once; ask for fewer lines or shorter ones",
      lines, recipe.max_words, kMostWords);

  // Hashes stand for lines: two lines with one hash would cost the second, and nobody would miss it.
  std::unordered_set<uint64_t> seen;
  for (const std::string_view line : kind.showcase) seen.insert(hash_of(line));
  Random random(options.seed);
  int64_t idle = 0;
  while (!std::all_of(std::begin(parts), std::end(parts), [](const Part& part) { return part.full(); })) {
    Pair pair;
    kind.draw(random, recipe, pair);
    const uint64_t hash = hash_of(pair.source);
    const uint64_t share = hash % 100;
    Part& part = parts[share < 90 ? 0 : share < 95 ? 1 : 2];
    if (!pair.source.empty() && !part.full() && seen.insert(hash).second) {
      part.pairs->push_back(std::move(pair));
      idle = 0;
    } else if (++idle > kPatience) {
      for (const Part& p : parts)
        check(
            p.full(), "corpus",
            "{} of {} to {} words has {} lines for {}, {} were asked for: ask for fewer, or for longer lines",
            kind.name, recipe.min_words, recipe.max_words, p.pairs->size(), p.name, p.wanted);
    }
  }
  return corpus;
}

}  // namespace fovea::data
