#include "fovea/data/grammar/french_agreement.h"

#include "fovea/data/grammar/lexicon.h"

namespace fovea::data::grammar {

Person person_of(const Meaning& meaning, int phrase) {
  const NounPhrase& p = meaning.phrase(phrase);
  if (p.also != kNone) return Person::kIls;
  if (p.head == Head::kPronoun) {
    const Pronoun& pronoun = pronouns()[static_cast<size_t>(p.word)];
    if (pronoun.person == 1) return pronoun.plural ? Person::kNous : Person::kJe;
    if (pronoun.person == 2) return Person::kTu;
  }
  return p.plural ? Person::kIls : Person::kIl;
}

Gender gender_of(const Meaning& meaning, int phrase) {
  const NounPhrase& p = meaning.phrase(phrase);
  const auto row = static_cast<size_t>(p.word);
  Gender gender{false, p.plural};
  if (p.head == Head::kPronoun) gender.feminine = pronouns()[row].feminine;
  if (p.head == Head::kName) gender.feminine = names()[row].feminine;
  if (p.head == Head::kNoun) gender.feminine = nouns()[row].feminine;
  if (p.also != kNone) gender = {gender.feminine && gender_of(meaning, p.also).feminine, true};
  return gender;
}

}  // namespace fovea::data::grammar
