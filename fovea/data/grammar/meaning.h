// What a sentence says, in no language: a tree of clauses and noun phrases, held in two lists and tied together by
// positions in them. english.cc, korean.cc and french.cc say it.
//
//   sentence    one step or more, joined by "and" and "but"
//   step        a clause, and perhaps another under it: "because", "when", "if", "while"
//   clause      subject, predicate, and what goes with it
//   noun phrase a pronoun, a name, or a noun with determiner, adjective, owner, relative clause
#pragma once

#include <cstdint>
#include <vector>

namespace fovea::data::grammar {

inline constexpr int kNone = -1;  // of an index: there is none

enum class Head : uint8_t { kPronoun, kName, kNoun, kWho, kWhat };
enum class Determiner : uint8_t { kNothing, kA, kThe, kThis, kThat, kMany, kEvery, kPronoun, kOwner };

struct NounPhrase {
  Head head = Head::kNoun;
  int word = kNone;  // row of pronouns(), names() or nouns()
  bool plural = false;
  Determiner determiner = Determiner::kNothing;
  int owner = kNone;      // row of pronouns() for kPronoun (my), noun phrase for kOwner (the teacher 's)
  int adjective = kNone;  // row of adjectives()
  int relative = kNone;   // clause
  int also = kNone;       // noun phrase: "Anna and the student"
};

enum class Tense : uint8_t { kPresent, kPast, kFuture };
enum class Predicate : uint8_t { kVerb, kAdjective, kNoun };
enum class Preposition : uint8_t { kIn, kNear, kTo, kFrom };
// What is missing in a relative clause.
enum class Gap : uint8_t { kNothing, kSubject, kObject };
// What a question asks for. Who and what are noun phrases.
enum class Ask : uint8_t { kNothing, kYesOrNo, kWho, kWhat, kWhere, kWhen, kWhy };

struct Clause {
  Predicate predicate = Predicate::kVerb;
  int word = kNone;  // row of verbs() or adjectives()
  Tense tense = Tense::kPresent;
  bool negated = false;
  bool can = false;
  Ask ask = Ask::kNothing;
  Gap gap = Gap::kNothing;
  int gap_owner = kNone;  // the noun phrase that a relative clause is about
  int subject = kNone, object = kNone, recipient = kNone, companion = kNone;  // noun phrases
  int complement = kNone;  // noun phrase of Predicate::kNoun
  Preposition preposition = Preposition::kIn;
  int place = kNone;  // row of places()
  int means = kNone;  // row of means()
  int time = kNone;   // row of time_phrases()
  bool time_first = false;
  int adverb = kNone;  // row of adverbs()
};

enum class Join : uint8_t { kNothing, kAnd, kBut, kBecause, kWhen, kIf, kWhile };

struct Step {
  Join join = Join::kNothing;  // with the step before: kAnd or kBut
  int clause = kNone;
  Join under = Join::kNothing;  // kBecause ... kWhile
  int under_clause = kNone;
  bool under_first = false;  // "when it is late , I sleep"
};

struct Meaning {
  std::vector<NounPhrase> phrases;
  std::vector<Clause> clauses;
  std::vector<Step> steps;

  void clear() {
    phrases.clear();
    clauses.clear();
    steps.clear();
  }
  bool is_question() const { return clauses[static_cast<size_t>(steps[0].clause)].ask != Ask::kNothing; }
  const NounPhrase& phrase(int i) const { return phrases[static_cast<size_t>(i)]; }
  const Clause& clause(int i) const { return clauses[static_cast<size_t>(i)]; }
};

}  // namespace fovea::data::grammar
