// copy and reverse: random digits, separated by blanks. What a model must learn is where to look, and nothing else.
#include "fovea/data/corpora/kinds.h"

namespace fovea::data {
namespace {

constexpr std::string_view kTargets[] = {"out"};
constexpr std::string_view kCopied[] = {"3 1 4 1 5 9 2 6"};

// Every length is as likely as every other.
void draw_digits(Random& random, const Recipe& recipe, Pair& pair, bool backwards) {
  const auto n = recipe.min_words + random.below(recipe.max_words - recipe.min_words + 1);
  pair.source.resize(static_cast<size_t>(2 * n - 1), ' ');
  for (size_t i = 0; i < pair.source.size(); i += 2)
    pair.source[i] = static_cast<char>('0' + random.below(10));
  pair.target = backwards ? std::string(pair.source.rbegin(), pair.source.rend()) : pair.source;
  for (int64_t i = 0; i < n; ++i)
    pair.links.push_back({static_cast<int32_t>(backwards ? n - 1 - i : i), static_cast<int32_t>(i)});
}

void draw_copy(Random& random, const Recipe& recipe, Pair& pair) { draw_digits(random, recipe, pair, false); }
void draw_reverse(Random& random, const Recipe& recipe, Pair& pair) {
  draw_digits(random, recipe, pair, true);
}

CorpusKind digits(const char* name, const char* what, void (*draw)(Random&, const Recipe&, Pair&)) {
  return {.name = name,
          .what = what,
          .source = "in",
          .targets = kTargets,
          .tokenizer = "word",
          .train = 20000,
          .valid = 500,
          .test = 1000,
          .min_words = 1,
          .max_words = 20,
          .fewest_words = 1,
          .most_words = 10000,
          .showcase = kCopied,
          .draw = draw};
}

}  // namespace

CorpusKind copy_corpus() { return digits("copy", "digits, as they are", draw_copy); }
CorpusKind reverse_corpus() { return digits("reverse", "digits, the last one first", draw_reverse); }

}  // namespace fovea::data
