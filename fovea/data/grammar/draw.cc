#include "fovea/data/grammar/draw.h"

#include <algorithm>

#include "fovea/data/grammar/dice.h"
#include "fovea/data/grammar/lexicon.h"
#include "fovea/data/grammar/say.h"

namespace fovea::data::grammar {
namespace {

// A clause and the mark after it: "he works ."
constexpr int64_t kShortestClause = 2, kMark = 1, kJoinWords = 2;
// More words than this are a chain of steps.
constexpr int64_t kRichest = 14;

class Draw : Dice {
 public:
  Draw(Random& random, Meaning& meaning) : Dice(random), m_(meaning) {}

  // `room` words are left: the more of them, the richer the step.
  Step step(int64_t room, bool may_ask) {
    rich_ = std::clamp(static_cast<float>(room - 3) / 8.0f, 0.0f, 1.0f);
    Step step;
    if (may_ask && chance(0.25f)) {
      step.clause = question();
      return step;
    }
    if (room >= 7 && chance(0.55f * rich_)) {
      rich_ *= 0.4f;  // two clauses share the room
      step.under = pick(
          {Join::kBecause, Join::kBecause, Join::kBecause, Join::kWhen, Join::kIf, Join::kIf, Join::kWhile});
      step.under_first = step.under != Join::kBecause && chance(0.4f);
    }
    step.clause = clause(Clause());
    if (step.under != Join::kNothing) step.under_clause = under(step);
    return step;
  }

 private:
  int add(const NounPhrase& phrase) {
    m_.phrases.push_back(phrase);
    return static_cast<int>(m_.phrases.size()) - 1;
  }
  int add(Clause clause) {
    // "Every child does not sleep" leaves open whether some do.
    if (clause.subject != kNone && m_.phrase(clause.subject).determiner == Determiner::kEvery)
      clause.negated = false;
    m_.clauses.push_back(clause);
    return static_cast<int>(m_.clauses.size()) - 1;
  }

  // Noun phrases.

  int pronoun(int word) {
    return add(
        {.head = Head::kPronoun, .word = word, .plural = pronouns()[static_cast<size_t>(word)].plural});
  }

  // A noun of one of the classes. `more`: it may have an adjective, an owner, a relative clause.
  int noun(unsigned classes, bool more, bool may_have_clause = false, bool may_be_many = true) {
    NounPhrase p;
    p.word = pick_row(nouns(), [&](const Noun& n) { return (n.classes & classes) != 0; });
    const unsigned own = nouns()[static_cast<size_t>(p.word)].classes;
    p.plural = may_be_many && chance(0.35f);
    const float u = uniform();
    p.determiner = u < 0.45f   ? Determiner::kThe
                   : u < 0.65f ? (p.plural ? Determiner::kMany : Determiner::kA)
                   : u < 0.73f ? Determiner::kThis
                   : u < 0.81f ? Determiner::kThat
                   : u < 0.95f ? Determiner::kPronoun
                   : p.plural  ? Determiner::kThe
                               : Determiner::kEvery;
    if (p.determiner == Determiner::kPronoun && (own & kFree)) p.determiner = Determiner::kThe;
    if (p.determiner == Determiner::kPronoun) p.owner = pick_row(pronouns());
    if (more && chance(0.3f * rich_)) p.adjective = adjective(own);
    if (more && p.determiner == Determiner::kPronoun && chance(0.3f * rich_)) {
      p.determiner = Determiner::kOwner;
      p.owner = chance(0.5f) ? name() : owner();
    }
    const bool clause = more && may_have_clause && p.determiner == Determiner::kThe && chance(0.6f * rich_);
    const int index = add(p);
    if (clause) {
      const int relative = relative_clause(index, own);
      m_.phrases[static_cast<size_t>(index)].relative = relative;
    }
    return index;
  }

  // "the teacher" of "the teacher 's book"
  int owner() {
    return add({.word = pick_row(nouns(), [](const Noun& n) { return (n.classes & kPerson) != 0; }),
                .determiner = Determiner::kThe});
  }

  int name() { return add({.head = Head::kName, .word = pick_row(names())}); }

  // Other than `said`, which the noun has already, or kNone.
  int adjective(unsigned classes, int said = kNone) {
    const Text known = said == kNone ? Text() : adjectives()[static_cast<size_t>(said)].en;
    return pick_row(adjectives(), [&](const Adjective& a) { return (a.classes & classes) && a.en != known; });
  }

  // Somebody: as a subject `other` is kNone, otherwise it is the subject, who is somebody else.
  int person(int other, bool more, bool may_have_clause) {
    const float u = uniform();
    if (u < 0.4f) {
      const int who = other == kNone ? pick_row(pronouns()) : other_pronoun(other);
      return pronoun(who);
    }
    int first = kNone;
    do {
      first = u < 0.55f ? name() : noun(kPerson, more, may_have_clause);
    } while (mentions(other, first));
    const NounPhrase& p = m_.phrase(first);
    if (more && p.relative == kNone && p.determiner != Determiner::kEvery && chance(0.12f * rich_)) {
      const int second = chance(0.4f) ? name() : noun(kPerson, false);
      if (!mentions(first, second) && !mentions(other, second))
        m_.phrases[static_cast<size_t>(first)].also = second;
    }
    return first;
  }

  // Whether one of those in `phrase` has the name or the noun of `other`: "Anna meets Anna" is not said.
  bool mentions(int phrase, int other) const {
    const NounPhrase& q = m_.phrase(other);
    for (; phrase != kNone; phrase = m_.phrase(phrase).also)
      if (m_.phrase(phrase).head == q.head && m_.phrase(phrase).word == q.word) return true;
    return false;
  }

  // "I see me" and "we help me" are not said; "he sees him" is two people.
  int other_pronoun(int subject) {
    const NounPhrase& p = m_.phrase(subject);
    const int person = p.head == Head::kPronoun ? pronouns()[static_cast<size_t>(p.word)].person : 3;
    return pick_row(pronouns(), [&](const Pronoun& q) { return q.person == 3 || q.person != person; });
  }

  // Clauses.

  static unsigned tenses(const Clause& c) {
    return c.tense == Tense::kPast ? kInPast : c.tense == Tense::kFuture ? kInFuture : kInPresent;
  }

  Tense tense() {
    const float u = uniform();
    return u < 0.42f ? Tense::kPresent : u < 0.76f ? Tense::kPast : Tense::kFuture;
  }

  // A main clause; what `c` already says stays.
  int clause(Clause c) {
    c.tense = tense();
    c.negated = chance(0.16f);
    predicate(c, true);
    return add(c);
  }

  // Under a main clause. After when, if and while the tense follows from the main one.
  int under(const Step& step) {
    const Tense main = m_.clause(step.clause).tense;
    Clause c;
    c.tense = step.under == Join::kBecause ? tense() : main;
    if (main == Tense::kPast && c.tense == Tense::kFuture) c.tense = main;  // no reason lies ahead
    // "if" asks for a case that is open.
    if (step.under == Join::kIf && main == Tense::kPast) {
      m_.clauses[static_cast<size_t>(step.clause)].tense = Tense::kPresent;
      m_.clauses[static_cast<size_t>(step.clause)].time = kNone;
      c.tense = Tense::kPresent;
    }
    c.negated = chance(0.12f);
    if (step.under == Join::kWhile) {  // something that lasts
      c.subject = person(kNone, false, false);
      if (chance(0.35f)) {
        c.predicate = Predicate::kAdjective;
        c.word = adjective(kPerson);
      } else {
        c.word = pick_row(verbs(), [](const Verb& v) { return v.pattern == Pattern::kAlone; });
        if (chance(0.4f)) c.place = pick_row(places());
      }
      return add(c);
    }
    predicate(c, false);
    return add(c);
  }

  // Subject, predicate and what goes with it. `free`: a time may be said, and relative clauses.
  void predicate(Clause& c, bool free) {
    const float u = uniform();
    if (u < 0.13f) {
      c.predicate = Predicate::kNoun;
      if (c.subject == kNone) c.subject = person(kNone, true, free);
      c.complement = role(c.subject);
    } else if (u < 0.37f) {
      c.predicate = Predicate::kAdjective;
      const bool thing = c.subject == kNone && chance(0.5f);
      if (c.subject == kNone)
        c.subject = thing ? noun(kThing | kWriting, true, free, free) : person(kNone, true, free);
      c.word = adjective(classes_of(c.subject), m_.phrase(c.subject).adjective);
      if (free && !thing && chance(0.1f * rich_)) c.adverb = pick_row(adverbs());
    } else {
      if (c.subject == kNone) c.subject = person(kNone, true, free);
      c.word = any_verb();
      c.can = c.tense == Tense::kPresent && verb(c).able && chance(0.18f);
      object(c, free);
      circumstances(c);
    }
    if (free && c.adverb == kNone && has_an_hour(c) && !ends_in_a_clause(c) && chance(0.3f * rich_)) time(c);
  }

  // What a noun phrase can be used for.
  unsigned classes_of(int phrase) const {
    const NounPhrase& p = m_.phrase(phrase);
    return p.head == Head::kNoun ? nouns()[static_cast<size_t>(p.word)].classes : unsigned{kPerson};
  }

  // What somebody does and how they feel has a time; what they are and what a thing is like stays.
  bool has_an_hour(const Clause& c) const {
    if (c.predicate == Predicate::kVerb) return !verb(c).state;
    return c.predicate == Predicate::kAdjective && (classes_of(c.subject) & kPerson);
  }

  // Clauses of giving and going are long and find less often room, so they are tried more often.
  int any_verb() {
    const float u = uniform();
    if (u > 0.35f) return pick_row(verbs());
    const Pattern pattern = u < 0.18f ? Pattern::kGiving : Pattern::kMoving;
    return pick_row(verbs(), [&](const Verb& v) { return v.pattern == pattern; });
  }

  const Verb& verb(const Clause& c) const { return verbs()[static_cast<size_t>(c.word)]; }

  // What somebody is: "a doctor", "my friend", "students".
  int role(int subject) {
    const NounPhrase& s = m_.phrase(subject);
    NounPhrase p;
    p.plural = s.plural || s.also != kNone;
    const Text own = s.head == Head::kNoun ? nouns()[static_cast<size_t>(s.word)].en : Text();
    p.word = pick_row(nouns(), [&](const Noun& n) { return (n.classes & kRole) && n.en != own; });
    const bool mine = chance(0.25f);
    p.determiner = mine ? Determiner::kPronoun : p.plural ? Determiner::kNothing : Determiner::kA;
    if (mine) p.owner = other_pronoun(subject);
    if (chance(0.25f * rich_)) p.adjective = adjective(kPerson, s.adjective);
    return add(p);
  }

  void object(Clause& c, bool free) {
    const Verb& v = verb(c);
    if (v.pattern == Pattern::kGiving) {
      c.object = noun(v.objects, true);
      c.recipient = person(c.subject, true, free);
    } else if (v.pattern == Pattern::kObject) {
      const bool somebody = (v.objects & kPerson) && (v.objects == kPerson || chance(0.5f));
      c.object = somebody ? person(c.subject, true, free) : noun(v.objects & ~unsigned{kPerson}, true, free);
    }
  }

  // Place, companion, means, adverb. After a relative clause they would belong to it.
  void circumstances(Clause& c) {
    const Verb& v = verb(c);
    if (!v.state && chance(0.12f * rich_)) c.adverb = pick_row(adverbs());
    if (ends_in_a_clause(c)) return;
    const bool alone = v.pattern == Pattern::kAlone;
    if (v.pattern == Pattern::kMoving) {
      c.preposition = v.en == "come" && chance(0.5f) ? Preposition::kFrom : Preposition::kTo;
      c.place = pick_row(places());
      if (chance(0.3f * rich_)) c.means = pick_row(means(), [](const Means& m) { return !m.by_hand; });
    } else if (v.pattern == Pattern::kDwelling ||
               (!v.state && chance(alone ? 0.4f * rich_ : 0.12f * rich_))) {
      c.preposition = chance(0.3f) ? Preposition::kNear : Preposition::kIn;
      c.place = pick_row(places());
    }
    if (v.by_hand && chance(0.4f * rich_))
      c.means = pick_row(means(), [](const Means& m) { return m.by_hand; });
    if (v.company && chance(0.25f * rich_)) c.companion = person(c.subject, true, false);
  }

  bool ends_in_a_clause(const Clause& c) const {
    const int last = c.recipient != kNone ? c.recipient : c.object;
    return last != kNone && m_.phrase(last).relative != kNone;
  }

  void time(Clause& c) {
    c.time = pick_row(time_phrases(), [&](const TimePhrase& t) { return (t.tenses & tenses(c)) != 0; });
    c.time_first = c.ask == Ask::kNothing && chance(0.25f);
  }

  // "the student who sees the house", "the book that I bought".
  int relative_clause(int about, unsigned classes) {
    Clause c;
    c.tense = tense();
    c.negated = chance(0.08f);
    c.gap_owner = about;
    if ((classes & kPerson) && chance(0.6f)) {
      c.gap = Gap::kSubject;
      c.word = any_verb();
      const Verb& v = verb(c);
      if (v.pattern == Pattern::kGiving) {
        c.object = noun(v.objects, false);
        c.recipient = chance(0.5f) ? name() : noun(kPerson, false);
      } else if (v.pattern == Pattern::kObject) {
        c.object = (v.objects & kPerson) ? person(about, false, false) : noun(v.objects, false);
      } else {
        if (v.pattern != Pattern::kAlone || chance(0.3f)) c.place = pick_row(places());
        if (v.pattern == Pattern::kMoving) c.preposition = Preposition::kTo;
      }
    } else {
      c.gap = Gap::kObject;
      c.subject = person(about, false, false);
      c.word = pick_row(verbs(), [&](const Verb& v) {
        return v.pattern == Pattern::kObject && (v.objects & classes) != 0;
      });
    }
    return add(c);
  }

  int question() {
    Clause c;
    c.tense = tense();
    const float u = uniform();
    c.ask = u < 0.4f    ? Ask::kYesOrNo
            : u < 0.52f ? Ask::kWho
            : u < 0.7f  ? Ask::kWhat
            : u < 0.82f ? Ask::kWhere
            : u < 0.9f  ? Ask::kWhen
                        : Ask::kWhy;
    if (c.ask == Ask::kYesOrNo || c.ask == Ask::kWhy) {
      c.negated = chance(0.12f);
      predicate(c, false);
      return add(c);
    }
    if (c.ask == Ask::kWho && chance(0.6f)) {
      c.subject = add({.head = Head::kWho});
      predicate(c, false);
      return add(c);
    }
    c.subject = person(kNone, true, false);
    if (c.ask == Ask::kWho || c.ask == Ask::kWhat) {
      const unsigned wanted = c.ask == Ask::kWho ? kPerson : ~unsigned{kPerson};
      c.word = pick_row(verbs(), [&](const Verb& v) {
        return (v.objects & wanted) != 0 && (c.ask == Ask::kWhat || v.pattern == Pattern::kObject);
      });
      c.object = add({.head = c.ask == Ask::kWho ? Head::kWho : Head::kWhat});
      if (verb(c).pattern == Pattern::kGiving) c.recipient = person(c.subject, false, false);
    } else {
      // "Where did he come" would leave open whether to or from; "where does he like her" has no answer.
      c.word = pick_row(verbs(), [](const Verb& v) {
        return v.en != "come" && (!v.state || v.pattern == Pattern::kDwelling);
      });
      object(c, false);
      const Pattern pattern = verb(c).pattern;
      if (pattern == Pattern::kMoving) c.preposition = Preposition::kTo;
      if (c.ask == Ask::kWhen && (pattern == Pattern::kMoving || pattern == Pattern::kDwelling))
        c.place = pick_row(places());
    }
    if (c.ask != Ask::kWhen && has_an_hour(c) && chance(0.3f * rich_)) time(c);
    return add(c);
  }

  Meaning& m_;
  float rich_ = 0;
};

}  // namespace

bool draw_meaning(Random& random, int64_t min_words, int64_t max_words, Meaning& meaning, Line& scratch) {
  meaning.clear();
  Draw draw(random, meaning);
  const int64_t goal = min_words + random.below(max_words - min_words + 1);
  const bool chain = goal > kRichest || random.below(100) < 45;
  int64_t words = kMark;
  for (int tries = 0; tries < 100; ++tries) {
    const bool first = meaning.steps.empty();
    const int64_t room = goal - words - (first ? 0 : kJoinWords);
    const size_t phrases = meaning.phrases.size(), clauses = meaning.clauses.size();
    Step step = draw.step(std::min(room, kRichest), first && goal <= kRichest);
    if (!first) step.join = random.below(4) ? Join::kAnd : Join::kBut;
    meaning.steps.push_back(step);
    const int64_t left = room - english_words(meaning, step, scratch);
    const bool done = left <= 1 && left >= -1 && goal - left >= min_words && goal - left <= max_words;
    // Either it ends here, or a clause more fits and this is no question.
    if (done) return true;
    if (chain && left >= kJoinWords + kShortestClause && !meaning.is_question()) {
      words = goal - left;
      continue;
    }
    meaning.steps.pop_back();
    meaning.phrases.resize(phrases);
    meaning.clauses.resize(clauses);
  }
  return false;
}

}  // namespace fovea::data::grammar
