// The words of the grammar: one row is one word in all languages, so that a reader who knows them can check it
// at a glance.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace fovea::data::grammar {

using Text = std::string_view;

// What a noun can be used for; a verb and an adjective say which of these they go with.
enum Class : unsigned {
  kPerson = 1,
  kGoods = 2,      // bought, sold, given, sent, shown
  kWriting = 4,    // written; a song and a poem are nothing else
  kFood = 8,       // eaten
  kOpening = 16,   // opened
  kCraft = 32,     // made
  kSight = 64,     // drawn
  kThing = 128,    // seen and found; has a size and a price
  kRole = 256,     // a person by what they do, which anybody can be: "she is a friend"
  kCalling = 512,  // a role that needs no article in French: "elle est médecin"
  kFree = 1024,    // nobody's: "his girl" and "his woman" would be family, in French for certain
};

struct Pronoun {
  Text subject, object, possessive;  // I, me, my
  bool plural;
  int person;     // 1, 2, 3
  bool feminine;  // I, you, we and they are masculine where a language has to choose
  Text ko;
  Text fr_subject, fr_object, fr_to, fr_strong;  // je, me, me, moi; il, le, lui, lui
  std::array<Text, 3> fr_possessive;             // mon, ma, mes
};

struct Name {
  Text en;
  bool feminine;
  Text ko;
};

struct Noun {
  Text en, en_plural;
  unsigned classes;
  Text ko;
  Text fr;
  bool feminine;     // in French
  Text fr_feminine;  // said of a woman: "she is a student"; empty where there is no such form
};

struct Adjective {
  Text en;
  unsigned classes;
  Text ko_stem, ko_infinitive, ko_open;  // see korean_forms.h
  Text fr, fr_feminine;
  bool before;    // French: stands before the noun
  Text fr_vowel;  // French: masculine singular before a vowel, where it differs
};

enum class Pattern {
  kAlone,    // works
  kObject,   // sees the house
  kGiving,   // gives the book to the teacher
  kMoving,   // goes to the park
  kDwelling  // lives in the city: the place is needed
};

struct Verb {
  Text en, en_third, en_past;
  Text en_for;  // "for" in "wait for"
  Pattern pattern;
  unsigned objects;  // classes of its object
  bool by_hand;      // can be done with a pen
  bool able;         // goes with "can"
  bool company;      // is done with somebody
  Text ko_stem, ko_infinitive, ko_open;
  Text fr;                         // infinitive
  std::array<Text, 5> fr_present;  // je, tu, il, nous, ils
  Text fr_participle, fr_future;   // fr_future takes -ai -as -a -ons -ont
  bool fr_etre;                    // past with être
  bool state = false;              // lasts and has no hour: like, know, live
  bool ko_unable = false;          // Korean: not is 지 못하다, as for all that nobody decides
};

struct Place {
  Text en, ko, fr;
  bool feminine;
};

// Phrases are words between blanks. Words with the same =number stand for each other in all languages; the others belong to
// the phrase as a whole.
enum TenseSet : unsigned { kInPresent = 1, kInPast = 2, kInFuture = 4, kInAny = 7 };
struct TimePhrase {
  Text en, ko, fr;
  unsigned tenses;
};
struct Means {
  Text en;
  Text ko;  // a noun, which takes 로 or 으로
  Text fr;
  bool by_hand;  // a tool for writing and drawing; otherwise a way to travel
};
struct Adverb {
  Text en, ko, fr;
};

std::span<const Pronoun> pronouns();  // I, you, he, she, we, they
std::span<const Name> names();
std::span<const Noun> nouns();
std::span<const Adjective> adjectives();
std::span<const Verb> verbs();
std::span<const Place> places();
std::span<const TimePhrase> time_phrases();
std::span<const Means> means();
std::span<const Adverb> adverbs();

}  // namespace fovea::data::grammar
