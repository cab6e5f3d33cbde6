// English: subject, auxiliary, not, adverb, verb, object, recipient, place, companion, means, time.
// Questions put the auxiliary first, with do where there is none.
#include "fovea/data/grammar/lexicon.h"
#include "fovea/data/grammar/say.h"

namespace fovea::data::grammar {
namespace {

using enum PhrasePart;
using C = ClausePart;

// Who the verb agrees with: I am, he is, they are.
struct Agreement {
  int person = 3;
  bool plural = false;
};

constexpr Text kJoins[] = {"", "and", "but", "because", "when", "if", "while"};
constexpr Text kPrepositions[] = {"in", "near", "to", "from"};

bool starts_with_vowel(Text word) {
  return Text("aeiou").find(word[0]) != Text::npos && !word.starts_with("use");
}

class English {
 public:
  English(const Meaning& meaning, Line& line) : m_(meaning), line_(line) {}

  void step(const Step& step) {
    if (step.under_clause != kNone && step.under_first) {
      under(step);
      line_.say(",", {part(step.under_clause, C::kComma)});
    }
    clause(step.clause, false);
    if (step.under_clause != kNone && !step.under_first) under(step);
  }

 private:
  void under(const Step& step) {
    line_.say(kJoins[static_cast<size_t>(step.under)], {part(step.under_clause, C::kJoin)});
    clause(step.under_clause, step.under != Join::kBecause);
  }

  Agreement agreement(const Clause& c) const {
    const int subject = c.gap == Gap::kSubject ? c.gap_owner : c.subject;
    const NounPhrase& p = m_.phrase(subject);
    if (p.also != kNone) return {3, true};
    if (p.head == Head::kPronoun) {
      const Pronoun& pronoun = pronouns()[static_cast<size_t>(p.word)];
      return {pronoun.person, pronoun.plural};
    }
    return {3, p.plural};
  }

  static Text be(Agreement a, Tense tense) {
    const bool many = a.plural || a.person == 2;
    if (tense == Tense::kPast) return many ? "were" : "was";
    return many ? "are" : a.person == 1 ? "am" : "is";
  }

  void clause(int index, bool present_for_future) {
    const Clause& c = m_.clause(index);
    const Agreement a = agreement(c);
    const auto of = [&](ClausePart what) { return part(index, what); };
    // "when he comes, I will go": after when, if and while the future is said in the present.
    const Tense tense = present_for_future && c.tense == Tense::kFuture ? Tense::kPresent : c.tense;
    const bool verbal = c.predicate == Predicate::kVerb;
    const bool asks_subject =
        c.ask == Ask::kWho && c.subject != kNone && m_.phrase(c.subject).head == Head::kWho;
    const bool inverted = c.ask != Ask::kNothing && !asks_subject;

    // The copula of an adjective helps, the copula of a noun is the predicate itself.
    const Concept copula = of(c.predicate == Predicate::kNoun ? C::kPredicate : C::kBe);
    Text auxiliary, copula_after;
    Concept auxiliary_is = of(C::kAuxiliary);
    if (c.can) {
      auxiliary = "can";
    } else if (tense == Tense::kFuture) {
      auxiliary = "will";
    } else if (!verbal) {
      auxiliary = be(a, tense);
      auxiliary_is = copula;
    } else if (c.negated || inverted) {
      auxiliary = tense == Tense::kPast ? "did" : a.person == 3 && !a.plural ? "does" : "do";
    }
    if (!verbal && tense == Tense::kFuture) copula_after = "be";

    if (c.time != kNone && c.time_first) line_.say_phrase(time_phrases()[row(c.time)].en, of(C::kTime));
    if (c.ask == Ask::kWhere) line_.say("where", {of(C::kAsk)});
    if (c.ask == Ask::kWhen) line_.say("when", {of(C::kAsk)});
    if (c.ask == Ask::kWhy) line_.say("why", {of(C::kAsk)});
    const bool asks_object = c.object != kNone && is_question_word(c.object);
    if (asks_object) noun_phrase(c.object, false);
    if (inverted) line_.say(auxiliary, {auxiliary_is});
    if (c.subject != kNone) noun_phrase(c.subject, true);
    if (!inverted && !auxiliary.empty()) line_.say(auxiliary, {auxiliary_is});
    if (c.negated) line_.say("not", {of(C::kNot)});
    if (c.adverb != kNone) line_.say(adverbs()[row(c.adverb)].en, {of(C::kAdverb)});
    if (!copula_after.empty()) line_.say(copula_after, {copula});

    if (c.predicate == Predicate::kAdjective) line_.say(adjectives()[row(c.word)].en, {of(C::kPredicate)});
    if (c.predicate == Predicate::kNoun) noun_phrase(c.complement, false);
    if (verbal) {
      const Verb& verb = verbs()[row(c.word)];
      const Text form = !auxiliary.empty()           ? verb.en
                        : tense == Tense::kPast      ? verb.en_past
                        : a.person == 3 && !a.plural ? verb.en_third
                                                     : verb.en;
      line_.say(form, {of(C::kPredicate)});
      if (!verb.en_for.empty()) line_.say(verb.en_for, {of(C::kFor)});
    }
    if (c.object != kNone && !asks_object) noun_phrase(c.object, false);
    if (c.recipient != kNone) {
      line_.say("to", {of(C::kTo)});
      noun_phrase(c.recipient, false);
    }
    if (c.place != kNone) {
      line_.say(kPrepositions[static_cast<size_t>(c.preposition)], {of(C::kPreposition)});
      line_.say("the", {of(C::kArticle)});
      line_.say(places()[row(c.place)].en, {of(C::kPlace)});
    }
    if (c.companion != kNone) {
      line_.say("with", {of(C::kWith)});
      noun_phrase(c.companion, false);
    }
    if (c.means != kNone) line_.say_phrase(means()[row(c.means)].en, of(C::kMeans));
    if (c.time != kNone && !c.time_first) line_.say_phrase(time_phrases()[row(c.time)].en, of(C::kTime));
  }

  void noun_phrase(int index, bool subject) {
    const NounPhrase& p = m_.phrase(index);
    const auto of = [&](PhrasePart what) { return part(index, what); };
    switch (p.head) {
      case Head::kWho:
        line_.say("who", {of(kHead)});
        break;
      case Head::kWhat:
        line_.say("what", {of(kHead)});
        break;
      case Head::kName:
        line_.say(names()[row(p.word)].en, {of(kHead)});
        break;
      case Head::kPronoun: {
        const Pronoun& pronoun = pronouns()[row(p.word)];
        line_.say(subject ? pronoun.subject : pronoun.object, {of(kHead)});
        break;
      }
      case Head::kNoun:
        noun(index);
        break;
    }
    if (p.also != kNone) {
      line_.say("and", {of(kAnd)});
      noun_phrase(p.also, subject);
    }
  }

  void noun(int index) {
    const NounPhrase& p = m_.phrase(index);
    const Noun& noun = nouns()[row(p.word)];
    const Text head = p.plural ? noun.en_plural : noun.en;
    const Text adjective = p.adjective == kNone ? Text() : adjectives()[row(p.adjective)].en;
    determiner(index, adjective.empty() ? head : adjective);
    if (!adjective.empty()) line_.say(adjective, {part(index, kAdjective)});
    line_.say(head, {part(index, kHead)});
    if (p.relative != kNone) {
      line_.say(m_.clause(p.relative).gap == Gap::kSubject ? "who" : "that", {part(index, kRelative)});
      clause(p.relative, false);
    }
  }

  void determiner(int index, Text next) {
    const NounPhrase& p = m_.phrase(index);
    const auto say = [&](Text word) { line_.say(word, {part(index, kDeterminer)}); };
    switch (p.determiner) {
      case Determiner::kNothing:
        break;
      case Determiner::kA:
        say(starts_with_vowel(next) ? "an" : "a");
        break;
      case Determiner::kThe:
        say("the");
        break;
      case Determiner::kThis:
        say(p.plural ? "these" : "this");
        break;
      case Determiner::kThat:
        say(p.plural ? "those" : "that");
        break;
      case Determiner::kMany:
        say("many");
        break;
      case Determiner::kEvery:
        say("every");
        break;
      case Determiner::kPronoun:
        say(pronouns()[row(p.owner)].possessive);
        break;
      case Determiner::kOwner:
        noun_phrase(p.owner, false);
        line_.say("'s", {part(index, kGenitive)});
        break;
    }
  }

  bool is_question_word(int phrase) const {
    return m_.phrase(phrase).head == Head::kWho || m_.phrase(phrase).head == Head::kWhat;
  }
  static size_t row(int i) { return static_cast<size_t>(i); }

  const Meaning& m_;
  Line& line_;
};

}  // namespace

void say_english(const Meaning& meaning, Line& line) {
  line.clear();
  English english(meaning, line);
  for (const Step& step : meaning.steps) {
    if (step.join != Join::kNothing) {
      line.say(",", {part(step.clause, C::kComma)});
      line.say(kJoins[static_cast<size_t>(step.join)], {part(step.clause, C::kJoin)});
    }
    english.step(step);
  }
  line.say(meaning.is_question() ? "?" : ".", {part(0, C::kEnd)});
}

int english_words(const Meaning& meaning, const Step& step, Line& scratch) {
  scratch.clear();
  English(meaning, scratch).step(step);
  return scratch.words();
}

}  // namespace fovea::data::grammar
