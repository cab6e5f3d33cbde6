// Meanings written by hand, as short as the sentences they make.
//
//   Say say;
//   say(say.verb("buy", say.pronoun("I"), {.tense = Tense::kPast, .object = say.noun("a", "book")}));
//   say.english() == "I bought a book ."
#pragma once

#include <algorithm>
#include <string>

#include "fovea/data/grammar/lexicon.h"
#include "fovea/data/grammar/say.h"

namespace fovea::data::grammar {

class Say {
 public:
  int pronoun(Text subject) {
    const int row = row_of(pronouns(), [&](const Pronoun& p) { return p.subject == subject; });
    return add({.head = Head::kPronoun, .word = row, .plural = pronouns()[static_cast<size_t>(row)].plural});
  }
  int name(Text name) {
    return add({.head = Head::kName, .word = row_of(names(), [&](const Name& n) { return n.en == name; })});
  }
  int who() { return add({.head = Head::kWho}); }
  int what() { return add({.head = Head::kWhat}); }

  // noun("the", "students"): a, an, the, this, these, that, those, many, every, my ... or nothing.
  int noun(Text determiner, Text word, Text adjective = "") {
    NounPhrase p;
    p.word = row_of(nouns(), [&](const Noun& n) { return n.en == word || n.en_plural == word; });
    p.plural = nouns()[static_cast<size_t>(p.word)].en_plural == word;
    if (!adjective.empty()) p.adjective = this->adjective(adjective);
    const std::pair<Text, Determiner> known[] = {{"", Determiner::kNothing},   {"a", Determiner::kA},
                                                 {"the", Determiner::kThe},    {"this", Determiner::kThis},
                                                 {"that", Determiner::kThat},  {"many", Determiner::kMany},
                                                 {"every", Determiner::kEvery}};
    const auto found = std::find_if(std::begin(known), std::end(known),
                                    [&](const auto& row) { return row.first == determiner; });
    if (found != std::end(known)) {
      p.determiner = found->second;
    } else {
      p.determiner = Determiner::kPronoun;
      p.owner = row_of(pronouns(), [&](const Pronoun& q) { return q.possessive == determiner; });
    }
    return add(p);
  }
  // owned(the teacher, book): the teacher 's book
  int owned(int owner, Text word) {
    const int index = noun("the", word);
    at(index).determiner = Determiner::kOwner;
    at(index).owner = owner;
    return index;
  }
  int both(int first, int second) {
    at(first).also = second;
    return first;
  }
  // The noun phrase with a relative clause: who(student, clause), that(book, clause).
  int with_clause(int phrase, Gap gap, Clause clause) {
    clause.gap = gap;
    clause.gap_owner = phrase;
    meaning_.clauses.push_back(clause);
    at(phrase).relative = static_cast<int>(meaning_.clauses.size()) - 1;
    return phrase;
  }

  static Clause verb(Text verb, int subject, Clause more = {}) {
    more.word = row_of(verbs(), [&](const Verb& v) { return v.en == verb; });
    more.subject = subject;
    return more;
  }
  static Clause is(int subject, Text adjective, Clause more = {}) {
    more.predicate = Predicate::kAdjective;
    more.word = Say::adjective(adjective);
    more.subject = subject;
    return more;
  }
  static Clause is(int subject, int complement, Clause more = {}) {
    more.predicate = Predicate::kNoun;
    more.subject = subject;
    more.complement = complement;
    return more;
  }
  static int place(Text en) {
    return row_of(places(), [&](const Place& p) { return p.en == en; });
  }
  // By the first word that is marked: time("morning").
  static int time(Text word) {
    return row_of(time_phrases(), [&](const TimePhrase& t) { return t.en.find(word) != Text::npos; });
  }
  static int by(Text word) {
    return row_of(means(), [&](const Means& m) { return m.en.find(word) != Text::npos; });
  }
  static int adverb(Text word) {
    return row_of(adverbs(), [&](const Adverb& a) { return a.en == word; });
  }

  // The next step of the sentence.
  Say& operator()(const Clause& clause, Join join = Join::kNothing) {
    meaning_.clauses.push_back(clause);
    meaning_.steps.push_back({.join = join, .clause = static_cast<int>(meaning_.clauses.size()) - 1});
    return *this;
  }
  // Under the step said last.
  Say& under(Join join, const Clause& clause, bool first = false) {
    meaning_.clauses.push_back(clause);
    Step& step = meaning_.steps.back();
    step.under = join;
    step.under_clause = static_cast<int>(meaning_.clauses.size()) - 1;
    step.under_first = first;
    return *this;
  }

  const Meaning& meaning() const { return meaning_; }
  std::string english() const { return said(say_english); }
  std::string korean() const { return said(say_korean); }
  std::string french() const { return said(say_french); }
  // "0-0 1?0": sure and possible links with another language.
  std::string links(void (*other)(const Meaning&, Line&)) const {
    Line source, target;
    say_english(meaning_, source);
    other(meaning_, target);
    std::vector<Link> links;
    link(source, target, links);
    std::string text;
    for (const Link& l : links)
      text += (text.empty() ? "" : " ") + std::to_string(l.source) + (l.sure ? "-" : "?") +
              std::to_string(l.target);
    return text;
  }

 private:
  template <typename Row, typename Fits>
  static int row_of(std::span<const Row> rows, Fits&& fits) {
    return static_cast<int>(std::find_if(rows.begin(), rows.end(), fits) - rows.begin());
  }
  static int adjective(Text en) {
    return row_of(adjectives(), [&](const Adjective& a) { return a.en == en; });
  }
  int add(const NounPhrase& phrase) {
    meaning_.phrases.push_back(phrase);
    return static_cast<int>(meaning_.phrases.size()) - 1;
  }
  NounPhrase& at(int i) { return meaning_.phrases[static_cast<size_t>(i)]; }
  std::string said(void (*say)(const Meaning&, Line&)) const {
    Line line;
    say(meaning_, line);
    return line.text();
  }
  Meaning meaning_;
};

}  // namespace fovea::data::grammar
