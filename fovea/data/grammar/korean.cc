// Korean, in the plain style of books (-다): subject, time, adverb, place, companion, means, recipient, object, verb.
// What a noun is to the sentence is said by a particle on it; the verb comes last and its ending says how the sentence
// goes on. The subject of a main clause is its topic (은/는), under another clause it is a subject (이/가).
#include <optional>
#include <vector>

#include "fovea/data/grammar/hangul.h"
#include "fovea/data/grammar/korean_forms.h"
#include "fovea/data/grammar/lexicon.h"
#include "fovea/data/grammar/say.h"

namespace fovea::data::grammar {
namespace {

using enum PhrasePart;
using C = ClausePart;

size_t row(int i) { return static_cast<size_t>(i); }

// How a clause ends: the form of its last word by tense, and the word after it. Without a form of its own the future is
// said by 것이다, which then has the present form.
struct Ending {
  Form present, past;
  std::optional<Form> future;
  Text after;
};
constexpr Ending kStatement{Form::kPresent, Form::kPast, {}, ""};
constexpr Ending kQuestion{Form::kAsk, Form::kPastAsk, {}, ""};
constexpr Ending kAndEnding{Form::kAnd, Form::kPastAnd, {}, ""};
constexpr Ending kBecause{Form::kNoun, Form::kPastNoun, {}, "때문에"};
constexpr Ending kWhen{Form::kProspective, Form::kPastProspective, Form::kProspective, "때"};
constexpr Ending kIf{Form::kIf, Form::kIf, Form::kIf, ""};
constexpr Ending kWhile{Form::kThat, Form::kThat, Form::kThat, "동안"};
constexpr Ending kThat{Form::kThat, Form::kPastThat, Form::kProspective, ""};

const Ending& ending_under(Join join) {
  return join == Join::kBecause ? kBecause : join == Join::kWhen ? kWhen : join == Join::kIf ? kIf : kWhile;
}

struct Paradigms {
  std::vector<Inflected> verbs, adjectives;
  Inflected is{"이", "이어", "", StemKind::kAdjective};              // 학생 이다, 학생 이었다
  Inflected is_after_vowel{"이", "여", "", StemKind::kAdjective};    // 의사 이다, 의사 였다
  Inflected is_not{"아니", "아니어", "", StemKind::kAdjective};      // 학생이 아니다
  Inflected verb_not{"않", "않아", "", StemKind::kVerb};             // 사지 않는다
  Inflected verb_unable{"못하", "못해", "", StemKind::kVerb};        // 알지 못한다
  Inflected adjective_not{"않", "않아", "", StemKind::kAdjective};   // 크지 않다
  Inflected thing{"것이", "것이어", "", StemKind::kAdjective};       // 살 것이다
  Inflected there_is{"있", "있어", "", StemKind::kExistential};      // 살 수 있다
  Inflected there_is_not{"없", "없어", "", StemKind::kExistential};  // 살 수 없다

  Paradigms() {
    for (const Verb& v : grammar::verbs())
      verbs.emplace_back(v.ko_stem, v.ko_infinitive, v.ko_open, StemKind::kVerb);
    for (const Adjective& a : grammar::adjectives())
      adjectives.emplace_back(a.ko_stem, a.ko_infinitive, a.ko_open, StemKind::kAdjective);
  }
};

const Paradigms& paradigms() {
  static const Paradigms all;
  return all;
}

class Korean {
 public:
  Korean(const Meaning& meaning, Line& line) : m_(meaning), line_(line) {}

  // `next` is tied to this one: by the ending -고 for "and"; "but" begins a new sentence, 그러나.
  void step(const Step& step, const Step* next) {
    if (step.join == Join::kBut) line_.say("그러나", {part(step.clause, C::kJoin)});
    if (step.under_clause != kNone) {
      clause(step.under_clause, ending_under(step.under), step.under_clause, false);
      if (step.under_first) line_.say(",", {part(step.under_clause, C::kComma)});
    }
    if (!next) {
      clause(step.clause, m_.is_question() ? kQuestion : kStatement, kNone, true);
    } else {
      const bool goes_on = next->join == Join::kAnd;
      clause(step.clause, goes_on ? kAndEnding : kStatement, goes_on ? next->clause : kNone, true);
      line_.say(goes_on ? "," : ".", {part(next->clause, C::kComma)});
    }
  }

 private:
  // `join_of`: the clause whose English conjunction this ending translates, or kNone.
  void clause(int index, const Ending& ending, int join_of, bool main) {
    const Clause& c = m_.clause(index);
    const auto of = [&](ClausePart what) { return part(index, what); };
    if (c.time != kNone && c.time_first) time(index);
    if (c.subject != kNone) noun_phrase(c.subject, main ? Particle::kTopic : Particle::kSubject);
    if (c.time != kNone && !c.time_first) time(index);
    if (c.ask == Ask::kWhen) line_.say("언제", {of(C::kAsk)});
    if (c.ask == Ask::kWhy) line_.say("왜", {of(C::kAsk)});
    if (c.adverb != kNone) line_.say(adverbs()[row(c.adverb)].ko, {of(C::kAdverb)});
    const bool destination = c.preposition == Preposition::kTo;
    const auto where = [&] {
      if (c.ask == Ask::kWhere) line_.say(destination ? "어디에" : "어디에서", {of(C::kAsk)});
      if (c.place != kNone) place(index);
    };
    if (!destination) where();
    if (c.companion != kNone) {
      noun_phrase(c.companion, Particle::kWith);
      line_.also(maybe(of(C::kWith)));
      line_.say("함께", {of(C::kWith)});
    }
    if (c.means != kNone) {
      line_.say(with_particle(means()[row(c.means)].ko, Particle::kBy),
                {maybe(of(C::kMeans)), of(C::kMeans1)});
    }
    if (destination) where();
    if (c.recipient != kNone) {
      noun_phrase(c.recipient, Particle::kTo);
      line_.also(maybe(of(C::kTo)));
    }
    if (c.object != kNone) noun_phrase(c.object, Particle::kObject);
    predicate(index, ending, join_of);
  }

  void time(int index) {
    line_.say_phrase(time_phrases()[row(m_.clause(index).time)].ko, part(index, C::kTime));
  }

  // 공원에서, 공원 근처에서, 공원에
  void place(int index) {
    const Clause& c = m_.clause(index);
    const auto of = [&](ClausePart what) { return part(index, what); };
    const Text noun = places()[row(c.place)].ko;
    if (c.preposition == Preposition::kNear) {
      line_.say(noun, {of(C::kPlace), maybe(of(C::kArticle))});
      line_.say("근처에서", {of(C::kPreposition)});
    } else {
      line_.say(with_particle(noun, c.preposition == Preposition::kTo ? Particle::kAt : Particle::kIn),
                {of(C::kPlace), maybe(of(C::kArticle)), maybe(of(C::kPreposition))});
    }
  }

  // Verb or adjective, then 수 있다 (can), 지 않다 (not), 것이다 (will), then the ending.
  void predicate(int index, const Ending& ending, int join_of) {
    const Clause& c = m_.clause(index);
    const auto of = [&](ClausePart what) { return part(index, what); };
    const Paradigms& p = paradigms();
    // The word that is next, and the two things that it stands for.
    const Inflected* word = nullptr;
    Concept first = of(C::kPredicate), second = first;
    const auto becomes = [&](const Inflected& next, Concept one, Concept two) {
      word = &next;
      first = one;
      second = two;
    };
    if (c.predicate == Predicate::kVerb) {
      becomes(p.verbs[row(c.word)], first, maybe(of(C::kFor)));
    } else if (c.predicate == Predicate::kAdjective) {
      word = &p.adjectives[row(c.word)];
    } else {
      noun_phrase(c.complement, c.negated ? Particle::kSubject : Particle::kNothing);
      if (c.negated)
        becomes(p.is_not, first, of(C::kNot));
      else
        word = final_of(noun_of(m_.phrase(c.complement))) == kOpen ? &p.is_after_vowel : &p.is;
    }
    const bool not_apart = c.negated && c.predicate != Predicate::kNoun;
    if (c.can) {
      line_.say((*word)[Form::kProspective], {first, second});
      line_.say("수", {maybe(of(C::kAuxiliary)), maybe(of(C::kPredicate))});
      becomes(c.negated ? p.there_is_not : p.there_is, of(C::kAuxiliary),
              of(c.negated ? C::kNot : C::kAuxiliary));
    } else if (not_apart) {
      line_.say((*word)[Form::kJi], {first, second, maybe(of(C::kNot))});
      const bool verb = c.predicate == Predicate::kVerb;
      const bool unable = verb && verbs()[row(c.word)].ko_unable;
      becomes(unable ? p.verb_unable : verb ? p.verb_not : p.adjective_not, of(C::kNot), of(C::kNot));
    }
    Tense tense = c.tense;
    if (tense == Tense::kFuture && !ending.future) {
      line_.say((*word)[Form::kProspective], {first, second, maybe(of(C::kBe))});
      becomes(p.thing, of(C::kAuxiliary), of(C::kAuxiliary));
      tense = Tense::kPresent;
    }
    const Form form = tense == Tense::kPast     ? ending.past
                      : tense == Tense::kFuture ? *ending.future
                                                : ending.present;
    line_.say((*word)[form], {first, second, maybe(of(C::kAuxiliary)), maybe(of(C::kBe))});
    if (c.gap != Gap::kNothing) line_.also(maybe(part(c.gap_owner, kRelative)));
    if (join_of != kNone) line_.also(maybe(part(join_of, C::kJoin)));
    if (!ending.after.empty()) line_.say(ending.after, {part(join_of, C::kJoin)});
  }

  // 학생, 학생들. "We are students": what somebody is stays without 들.
  static std::string noun_of(const NounPhrase& p) {
    std::string noun(nouns()[row(p.word)].ko);
    return p.plural && p.determiner != Determiner::kNothing ? noun + "들" : noun;
  }

  void noun_phrase(int index, Particle particle) {
    const NounPhrase& p = m_.phrase(index);
    const auto of = [&](PhrasePart what) { return part(index, what); };
    const Particle own = p.also == kNone ? particle : Particle::kWith;
    switch (p.head) {
      case Head::kWho:
        if (own == Particle::kTopic)
          line_.say("누가", {of(kHead)});
        else
          line_.say(with_particle("누구", own), {of(kHead)});
        break;
      case Head::kWhat:
        line_.say(with_particle("무엇", own), {of(kHead)});
        break;
      case Head::kName:
        line_.say(with_particle(names()[row(p.word)].ko, own), {of(kHead)});
        break;
      case Head::kPronoun:
        line_.say(with_particle(pronouns()[row(p.word)].ko, own), {of(kHead)});
        break;
      case Head::kNoun:
        noun(index, own);
        break;
    }
    if (p.also != kNone) {
      line_.also(maybe(of(kAnd)));
      noun_phrase(p.also, particle);
    }
  }

  // Everything that says more about a noun stands before it: 내가 산 그 큰 책.
  void noun(int index, Particle particle) {
    const NounPhrase& p = m_.phrase(index);
    const auto of = [&](PhrasePart what) { return part(index, what); };
    if (p.relative != kNone) clause(p.relative, kThat, kNone, false);
    const auto determiner = [&](Text word) { line_.say(word, {of(kDeterminer)}); };
    bool article = false;
    switch (p.determiner) {
      case Determiner::kNothing:
        break;
      case Determiner::kA:
      case Determiner::kThe:
        article = true;
        break;
      case Determiner::kThis:
        determiner("이");
        break;
      case Determiner::kThat:
        determiner("그");
        break;
      case Determiner::kMany:
        determiner("많은");
        break;
      case Determiner::kEvery:
        determiner("모든");
        break;
      case Determiner::kPronoun:
        determiner(with_particle(pronouns()[row(p.owner)].ko, Particle::kOf));
        break;
      case Determiner::kOwner:
        noun_phrase(p.owner, Particle::kOf);
        line_.also(maybe(of(kGenitive)));
        break;
    }
    if (p.adjective != kNone)
      line_.say(paradigms().adjectives[row(p.adjective)][Form::kThat], {of(kAdjective)});
    line_.say(with_particle(noun_of(p), particle), {of(kHead)});
    if (article) line_.also(maybe(of(kDeterminer)));
  }

  const Meaning& m_;
  Line& line_;
};

}  // namespace

void say_korean(const Meaning& meaning, Line& line) {
  line.clear();
  Korean korean(meaning, line);
  for (size_t i = 0; i < meaning.steps.size(); ++i)
    korean.step(meaning.steps[i], i + 1 < meaning.steps.size() ? &meaning.steps[i + 1] : nullptr);
  line.say(meaning.is_question() ? "?" : ".", {part(0, C::kEnd)});
}

}  // namespace fovea::data::grammar
