// French: subject, ne, pronouns, verb, pas, adverb, participle or infinitive, object, recipient, place, companion, means, time.
// Articles, adjectives, participles and verbs agree with their noun, however far away it is. What English asks by turning the
// sentence round is asked by est-ce que.
#include "fovea/data/grammar/french_agreement.h"
#include "fovea/data/grammar/french_forms.h"
#include "fovea/data/grammar/french_words.h"
#include "fovea/data/grammar/lexicon.h"
#include "fovea/data/grammar/say.h"

namespace fovea::data::grammar {
namespace {

using enum PhrasePart;
using C = ClausePart;

size_t row(int i) { return static_cast<size_t>(i); }

class French {
 public:
  French(const Meaning& meaning, FrenchWords& words) : m_(meaning), words_(words) {}

  void step(const Step& step) {
    if (step.under_clause != kNone && step.under_first) {
      under(step);
      words_.say(",", {part(step.under_clause, C::kComma)});
    }
    clause(step.clause, Join::kNothing);
    if (step.under_clause != kNone && !step.under_first) under(step);
  }

 private:
  void under(const Step& step) {
    const Concept join = part(step.under_clause, C::kJoin);
    switch (step.under) {
      case Join::kBecause:
        words_.say("parce", {join});
        break;
      case Join::kWhile:
        words_.say("pendant", {join});
        break;
      case Join::kWhen:
        words_.say("quand", {join});
        break;
      default:
        words_.say("si", {join});
    }
    if (step.under == Join::kBecause || step.under == Join::kWhile) words_.say("que", {maybe(join)});
    clause(step.under_clause, step.under);
  }

  void clause(int index, Join under) {
    const Clause& c = m_.clause(index);
    const auto of = [&](ClausePart what) { return part(index, what); };
    if (c.time != kNone && c.time_first) time(index);
    ask(index);
    if (c.subject != kNone) noun_phrase(c.subject, Role::kSubject, index);
    if (c.negated) words_.say("ne", {maybe(of(C::kNot))});
    if (c.predicate == Predicate::kVerb)
      verb(index, under);
    else
      copula(index, under);
    if (c.object != kNone && !is_clitic(c.object) && !is_asked(c.object)) {
      // "pas de" denies one thing, not two at once.
      const bool denied = c.negated && m_.phrase(c.object).also == kNone;
      noun_phrase(c.object, denied ? Role::kNegatedObject : Role::kObject, index);
    }
    if (c.recipient != kNone && !is_clitic(c.recipient)) {
      words_.say("à", {of(C::kTo)});
      noun_phrase(c.recipient, Role::kAfterPreposition, index);
    }
    if (c.place != kNone) place(index);
    if (c.companion != kNone) {
      words_.say("avec", {of(C::kWith)});
      noun_phrase(c.companion, Role::kAfterPreposition, index);
    }
    if (c.means != kNone) phrase(means()[row(c.means)].fr, of(C::kMeans));
    if (c.time != kNone && !c.time_first) time(index);
  }

  void ask(int index) {
    const Clause& c = m_.clause(index);
    if (c.ask == Ask::kNothing || (c.subject != kNone && is_asked(c.subject))) return;
    const Concept asked = part(index, C::kAsk);
    switch (c.ask) {
      case Ask::kWho:
        words_.say("qui", {part(c.object, kHead)});
        break;
      case Ask::kWhat:
        words_.say("que", {part(c.object, kHead)});
        break;
      case Ask::kWhere:
        words_.say("où", {asked});
        break;
      case Ask::kWhen:
        words_.say("quand", {asked});
        break;
      case Ask::kWhy:
        words_.say("pourquoi", {asked});
        break;
      default:
        break;
    }
    // They may stand for the word that English puts first.
    const bool is_first = c.predicate != Predicate::kVerb && c.tense != Tense::kFuture;
    const Concept turned = maybe(is_first ? is(index) : part(index, C::kAuxiliary));
    for (const std::string_view word : {"est-ce", "que"}) words_.say(word, {turned});
  }

  void after_verb(int index) {
    const Clause& c = m_.clause(index);
    if (c.negated) words_.say("pas", {part(index, C::kNot)});
    if (c.adverb != kNone) words_.say(adverbs()[row(c.adverb)].fr, {part(index, C::kAdverb)});
  }

  void verb(int index, Join under) {
    const Clause& c = m_.clause(index);
    const auto of = [&](ClausePart what) { return part(index, what); };
    const Verb& verb = verbs()[row(c.word)];
    const Person person = person_of(m_, subject_of(c));
    const auto say = [&](std::string_view word) {
      words_.say(word, {of(C::kPredicate), maybe(of(C::kAuxiliary)), maybe(of(C::kFor))});
    };
    if (c.can) {
      words_.say(pouvoir(person), {of(C::kAuxiliary)});
      after_verb(index);
      clitics(index);
      words_.say(verb.fr, {of(C::kPredicate), maybe(of(C::kFor))});
      return;
    }
    clitics(index);
    const Tense tense = tense_of(c, under);
    // What lasted is told in the imperfect: il la connaissait.
    if (tense == Tense::kPast && under != Join::kWhile && !verb.state) {
      words_.say(verb.fr_etre ? etre(person) : avoir(person),
                 {maybe(of(C::kPredicate)), maybe(of(C::kAuxiliary))});
      after_verb(index);
      say(participle(verb.fr_participle, verb.fr_etre ? gender_of(m_, subject_of(c)) : gender_before(c)));
      return;
    }
    if (tense == Tense::kPast)
      say(imperfect(verb.fr_present[static_cast<size_t>(Person::kNous)], person));
    else if (tense == Tense::kFuture)
      say(future(verb.fr_future, person));
    else
      say(verb.fr_present[static_cast<size_t>(person)]);
    after_verb(index);
  }

  // "si" looks at the future from the present: s' il vient, si elle est malade.
  static Tense tense_of(const Clause& c, Join under) {
    return under == Join::kIf && c.tense == Tense::kFuture ? Tense::kPresent : c.tense;
  }

  // The copula of an adjective helps, the copula of a noun is the predicate itself.
  Concept is(int index) const {
    return part(index, m_.clause(index).predicate == Predicate::kNoun ? C::kPredicate : C::kBe);
  }

  void copula(int index, Join under) {
    const Clause& c = m_.clause(index);
    const auto of = [&](ClausePart what) { return part(index, what); };
    const Person person = person_of(m_, subject_of(c));
    const Tense tense = tense_of(c, under);
    if (tense == Tense::kFuture) {
      words_.say(future("ser", person), {is(index), maybe(of(C::kAuxiliary))});
    } else if (tense == Tense::kPast) {
      words_.say(imperfect("étons", person), {is(index)});
    } else {
      words_.say(etre(person), {is(index)});
    }
    after_verb(index);
    if (c.predicate == Predicate::kNoun) {
      noun_phrase(c.complement, Role::kComplement, index);
    } else {
      const Adjective& adjective = adjectives()[row(c.word)];
      words_.say(agreeing(adjective.fr, adjective.fr_feminine, gender_of(m_, subject_of(c))),
                 {of(C::kPredicate)});
    }
  }

  // Pronouns that stand before the verb.
  void clitics(int index) {
    const Clause& c = m_.clause(index);
    if (c.object != kNone && is_clitic(c.object))
      words_.say(pronouns()[row(m_.phrase(c.object).word)].fr_object, {part(c.object, kHead)});
    if (c.recipient != kNone && is_clitic(c.recipient))
      words_.say(pronouns()[row(m_.phrase(c.recipient).word)].fr_to,
                 {part(c.recipient, kHead), maybe(part(index, C::kTo))});
  }

  void place(int index) {
    const Clause& c = m_.clause(index);
    const Concept preposition = part(index, C::kPreposition);
    const Place& place = places()[row(c.place)];
    switch (c.preposition) {
      case Preposition::kIn:
        words_.say("dans", {preposition});
        break;
      case Preposition::kTo:
        words_.say("à", {preposition});
        break;
      case Preposition::kFrom:
        words_.say("de", {preposition});
        break;
      case Preposition::kNear:
        words_.say("près", {preposition});
        words_.say("de", {maybe(preposition)});
        break;
    }
    words_.say(place.feminine ? "la" : "le", {part(index, C::kArticle)});
    words_.say(place.fr, {part(index, C::kPlace)});
  }

  void time(int index) { phrase(time_phrases()[row(m_.clause(index).time)].fr, part(index, C::kTime)); }

  void phrase(std::string_view text, Concept whole) {
    for_each_in_phrase(text, whole, [&](std::string_view word, Concept own) {
      words_.say(word, {maybe(whole), own});
    });
  }

  // Noun phrases.

  enum class Role { kSubject, kObject, kNegatedObject, kComplement, kAfterPreposition };

  void noun_phrase(int index, Role role, int clause) {
    const NounPhrase& p = m_.phrase(index);
    const Concept head = part(index, kHead);
    switch (p.head) {
      case Head::kWho:
        words_.say("qui", {head});
        break;
      case Head::kWhat:
        break;  // asked for at the front
      case Head::kName:
        words_.say(names()[row(p.word)].en, {head});
        break;
      case Head::kPronoun: {
        const Pronoun& pronoun = pronouns()[row(p.word)];
        words_.say(role == Role::kSubject ? pronoun.fr_subject : pronoun.fr_strong, {head});
        break;
      }
      case Head::kNoun:
        noun(index, role, clause);
        break;
    }
    if (p.also != kNone) {
      words_.say("et", {part(index, kAnd)});
      if (role == Role::kAfterPreposition && m_.phrase(p.also).head != Head::kPronoun)
        repeat_preposition(clause, index);
      noun_phrase(p.also, role, clause);
    }
  }

  // "à Anna et à Paul", but "avec Anna et Paul".
  void repeat_preposition(int clause, int phrase) {
    if (m_.clause(clause).recipient == phrase) words_.say("à", {maybe(part(clause, C::kTo))});
  }

  void noun(int index, Role role, int clause) {
    const NounPhrase& p = m_.phrase(index);
    const Noun& noun = nouns()[row(p.word)];
    // What somebody is has the gender of who it is said of.
    Gender gender{noun.feminine, p.plural};
    if (role == Role::kComplement) gender.feminine = gender_of(m_, subject_of(m_.clause(clause))).feminine;
    const bool by_kind = role == Role::kComplement && !noun.fr_feminine.empty();
    const std::string head = agreeing(noun.fr, by_kind ? noun.fr_feminine : noun.fr, gender);

    const Adjective* adjective = p.adjective == kNone ? nullptr : &adjectives()[row(p.adjective)];
    std::string quality;
    if (adjective) {
      quality = agreeing(adjective->fr, adjective->fr_feminine, gender);
      const bool vowel = adjective->before && !gender.feminine && !gender.plural && starts_with_vowel(head);
      if (vowel && !adjective->fr_vowel.empty()) quality = adjective->fr_vowel;
    }
    const bool before = adjective && adjective->before;
    determiner(index, role, gender, before ? quality : head);
    if (before) words_.say(quality, {part(index, kAdjective)});
    words_.say(head, {part(index, kHead)});
    if (bare(p, role)) words_.also(maybe(part(index, kDeterminer)));
    if (adjective && !before) words_.say(quality, {part(index, kAdjective)});
    if (p.determiner == Determiner::kOwner) {
      words_.say("de", {part(index, kGenitive)});
      noun_phrase(p.owner, Role::kAfterPreposition, clause);
    }
    if (p.relative != kNone) {
      words_.say(m_.clause(p.relative).gap == Gap::kSubject ? "qui" : "que", {part(index, kRelative)});
      this->clause(p.relative, Join::kNothing);
    }
  }

  // "Il est médecin": a calling goes without an article, unless more is said about it.
  bool bare(const NounPhrase& p, Role role) const {
    const bool indefinite = p.determiner == Determiner::kA || p.determiner == Determiner::kNothing;
    return role == Role::kComplement && indefinite && p.adjective == kNone &&
           (nouns()[row(p.word)].classes & kCalling);
  }

  void determiner(int index, Role role, Gender gender, std::string_view next) {
    const NounPhrase& p = m_.phrase(index);
    if (bare(p, role)) return;
    const Concept is = part(index, kDeterminer);
    const bool vowel = starts_with_vowel(next);
    const auto by_gender = [&](std::string_view masculine, std::string_view feminine, std::string_view many) {
      return gender.plural ? many : gender.feminine ? feminine : masculine;
    };
    switch (p.determiner) {
      case Determiner::kNothing:
        words_.say("des", {maybe(part(index, kHead))});
        break;
      case Determiner::kA:
        words_.say(role == Role::kNegatedObject ? "de" : by_gender("un", "une", "des"), {is});
        break;
      case Determiner::kThe:
        words_.say(by_gender("le", "la", "les"), {is});
        break;
      case Determiner::kThis:
      case Determiner::kThat:
        words_.say(by_gender(vowel ? "cet" : "ce", "cette", "ces"), {is});
        break;
      case Determiner::kMany:
        words_.say("beaucoup", {is});
        words_.say("de", {maybe(is)});
        break;
      case Determiner::kEvery:
        words_.say("chaque", {is});
        break;
      case Determiner::kPronoun: {
        const auto& forms = pronouns()[row(p.owner)].fr_possessive;
        words_.say(by_gender(forms[0], vowel ? forms[0] : forms[1], forms[2]), {is});
        break;
      }
      case Determiner::kOwner:
        words_.say(by_gender("le", "la", "les"), {maybe(part(index, kGenitive)), maybe(part(index, kHead))});
        break;
    }
  }

  // Agreement.

  int subject_of(const Clause& c) const { return c.gap == Gap::kSubject ? c.gap_owner : c.subject; }

  // A participle with avoir agrees with its object where that comes first: la lettre que j' ai écrite, je l' ai vue.
  Gender gender_before(const Clause& c) const {
    if (c.gap == Gap::kObject) return gender_of(m_, c.gap_owner);
    if (c.object != kNone && is_clitic(c.object)) return gender_of(m_, c.object);
    return {};
  }

  bool is_clitic(int phrase) const {
    return m_.phrase(phrase).head == Head::kPronoun && m_.phrase(phrase).also == kNone;
  }
  bool is_asked(int phrase) const {
    return m_.phrase(phrase).head == Head::kWho || m_.phrase(phrase).head == Head::kWhat;
  }

  const Meaning& m_;
  FrenchWords& words_;
};

}  // namespace

void say_french(const Meaning& meaning, Line& line) {
  thread_local FrenchWords words;
  French french(meaning, words);
  for (const Step& step : meaning.steps) {
    if (step.join != Join::kNothing) {
      words.say(",", {part(step.clause, C::kComma)});
      words.say(step.join == Join::kAnd ? "et" : "mais", {part(step.clause, C::kJoin)});
    }
    french.step(step);
  }
  words.say(meaning.is_question() ? "?" : ".", {part(0, C::kEnd)});
  line.clear();
  words.finish(line);
}

}  // namespace fovea::data::grammar
