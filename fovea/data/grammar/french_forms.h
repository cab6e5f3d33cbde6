// French words in the forms that the grammar uses.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace fovea::data::grammar {

// Who a verb agrees with, and the place of its form in a row: je, tu, il, nous, ils.
enum class Person { kJe, kTu, kIl, kNous, kIls };

struct Gender {
  bool feminine = false, plural = false;
};

// Before these je, le, que ... lose their vowel. Every h of the lexicon is silent.
bool starts_with_vowel(std::string_view word);

// livres, gâteaux, heureux
std::string plural_of(std::string_view word);
// A noun or an adjective: its masculine, its feminine, either with the ending of the plural.
std::string agreeing(std::string_view masculine, std::string_view feminine, Gender gender);
// acheté achetée achetés achetées
std::string participle(std::string_view masculine, Gender gender);
// achèter + -ai -as -a -ons -ont
std::string future(std::string_view stem, Person person);
// dormons: dorm + -ais -ais -ait -ions -aient
std::string imperfect(std::string_view present_nous, Person person);

std::string_view etre(Person person);
std::string_view avoir(Person person);
std::string_view pouvoir(Person person);

}  // namespace fovea::data::grammar
