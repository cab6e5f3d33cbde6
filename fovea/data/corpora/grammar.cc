// grammar: one meaning said in English and in another language, with the true alignment of the words.
#include "fovea/data/corpora/kinds.h"
#include "fovea/data/grammar/draw.h"
#include "fovea/data/grammar/say.h"

namespace fovea::data {
namespace {

constexpr std::string_view kTargets[] = {"ko", "fr"};
constexpr std::string_view kShowcase[] = {
    "I am a student .",
    "the teacher bought a new book yesterday .",
    "she will not go to the school tomorrow .",
    "where did you meet my friend ?",
    "the book that I bought is expensive .",
    "he slept because he was tired , but she worked in the library .",
};

void draw(Random& random, const Recipe& recipe, Pair& pair) {
  thread_local grammar::Meaning meaning;
  thread_local grammar::Line english, other;
  if (!grammar::draw_meaning(random, recipe.min_words, recipe.max_words, meaning, english)) return;
  grammar::say_english(meaning, english);
  (recipe.language == "fr" ? grammar::say_french : grammar::say_korean)(meaning, other);
  pair.source = english.text();
  pair.target = other.text();
  link(english, other, pair.links);
}

}  // namespace

CorpusKind grammar_corpus() {
  return {.name = "grammar",
          .what = "English sentences in Korean or French, with the true word alignment",
          .source = "en",
          .targets = kTargets,
          .tokenizer = "word",
          .train = 40000,
          .valid = 500,
          .test = 1000,
          .min_words = 3,
          .max_words = 14,
          .fewest_words = 3,
          .most_words = 1000,
          .showcase = kShowcase,
          .draw = draw};
}

}  // namespace fovea::data
