#include "fovea/data/grammar/french_forms.h"

namespace fovea::data::grammar {
namespace {

using Row = std::array<std::string_view, 5>;
constexpr Row kEtre = {"suis", "es", "est", "sommes", "sont"};
constexpr Row kAvoir = {"ai", "as", "a", "avons", "ont"};
constexpr Row kPouvoir = {"peux", "peux", "peut", "pouvons", "peuvent"};
constexpr Row kFuture = {"ai", "as", "a", "ons", "ont"};
constexpr Row kImperfect = {"ais", "ais", "ait", "ions", "aient"};

std::string_view of(const Row& row, Person person) { return row[static_cast<size_t>(person)]; }

}  // namespace

bool starts_with_vowel(std::string_view word) {
  for (const std::string_view vowel : {"a", "e", "i", "o", "u", "h", "A", "é", "ê", "œ"})
    if (word.starts_with(vowel)) return true;
  return false;
}

std::string plural_of(std::string_view word) {
  std::string many(word);
  if (word.ends_with("s") || word.ends_with("x")) return many;
  return many += word.ends_with("eau") ? 'x' : 's';
}

std::string agreeing(std::string_view masculine, std::string_view feminine, Gender gender) {
  const std::string_view word = gender.feminine ? feminine : masculine;
  return gender.plural ? plural_of(word) : std::string(word);
}

std::string participle(std::string_view masculine, Gender gender) {
  return std::string(masculine).append(gender.feminine ? "e" : "").append(gender.plural ? "s" : "");
}

std::string future(std::string_view stem, Person person) {
  return std::string(stem).append(of(kFuture, person));
}

std::string imperfect(std::string_view present_nous, Person person) {
  return std::string(present_nous.substr(0, present_nous.size() - 3)).append(of(kImperfect, person));
}

std::string_view etre(Person person) { return of(kEtre, person); }
std::string_view avoir(Person person) { return of(kAvoir, person); }
std::string_view pouvoir(Person person) { return of(kPouvoir, person); }

}  // namespace fovea::data::grammar
