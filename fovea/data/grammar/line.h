// A sentence in one language while it is being said: its words, and what each of them stands for.
//
// What a word can stand for is a concept: a part of a noun phrase (its head, its determiner ...) or of a clause (its
// predicate, its negation ...). A word of one language is linked with a word of another when both stand for one concept;
// the link is sure when both say so, and possible when one of them says maybe.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/blanks.h"
#include "fovea/data/pair.h"

namespace fovea::data::grammar {

enum class PhrasePart { kHead, kDeterminer, kAdjective, kGenitive, kAnd, kRelative };
enum class ClausePart {
  kPredicate,  // the verb, the adjective, or the copula of a noun
  kAuxiliary,  // do, will, can
  kBe,         // the copula of an adjective
  kNot,
  kFor,          // "wait for"
  kTo,           // the recipient's preposition
  kWith,         // the companion's
  kPreposition,  // the place's
  kArticle,      // the place's
  kPlace,
  kAdverb,
  kAsk,   // where, when, why
  kJoin,  // and, but, because ...
  kComma,
  kEnd,   // the full stop or the question mark
  kTime,  // the whole phrase; its words =1 and =2 follow
  kTime1,
  kTime2,
  kMeans,  // the same
  kMeans1,
  kMeans2,
  kMeans3
};

struct Concept {
  int id;
  bool sure = true;
};
constexpr int kPartsOfANode = 32;
constexpr Concept part(int phrase, PhrasePart what) {
  return {2 * phrase * kPartsOfANode + static_cast<int>(what)};
}
constexpr Concept part(int clause, ClausePart what) {
  return {(2 * clause + 1) * kPartsOfANode + static_cast<int>(what)};
}
constexpr Concept maybe(Concept c) { return {c.id, false}; }

// "in the morning=1": every word may stand for the whole, a word =n stands for the nth concept after it.
// Calls f(word, concept), where the concept of a word without a mark is maybe(whole).
template <typename F>
void for_each_in_phrase(std::string_view phrase, Concept whole, F&& f) {
  for_each_word(phrase, [&](std::string_view word) {
    const size_t mark = word.find('=');
    const bool marked = mark != std::string_view::npos;
    f(word.substr(0, mark), marked ? Concept{whole.id + (word[mark + 1] - '0')} : maybe(whole));
  });
}

class Line {
 public:
  void clear();
  // Adds a word.
  void say(std::string_view word, std::initializer_list<Concept> concepts);
  // The newest word stands for this, too.
  void also(Concept c);
  // Adds the words of a phrase.
  void say_phrase(std::string_view phrase, Concept whole);

  const std::string& text() const { return text_; }
  int words() const { return words_; }

 private:
  friend void link(const Line& source, const Line& target, std::vector<Link>& links);
  struct Tag {
    int concept_id, word;
    bool sure;
  };
  std::string text_;
  int words_ = 0;
  std::vector<Tag> tags_;
};

// Every pair of words that stand for the same, in the order of the target words.
void link(const Line& source, const Line& target, std::vector<Link>& links);

}  // namespace fovea::data::grammar
