#include "fovea/data/grammar/french_words.h"

#include "fovea/data/grammar/french_forms.h"

namespace fovea::data::grammar {
namespace {

// je ai: j' ai, que elle: qu' elle, si il: s' il.
void elide(std::string& word, const std::string& next) {
  if (word == "si") {
    if (next == "il" || next == "ils") word = "s'";
    return;
  }
  if (!starts_with_vowel(next)) return;
  for (const std::string_view elided : {"je", "ne", "me", "te", "le", "la", "de", "que"})
    if (word == elided) {
      word.back() = '\'';
      return;
    }
}

}  // namespace

void FrenchWords::say(std::string_view word, std::initializer_list<Concept> concepts) {
  if (used_ == words_.size()) words_.emplace_back();
  Word& next = words_[used_++];
  next.text = word;
  next.concepts.assign(concepts.begin(), concepts.end());
}

void FrenchWords::also(Concept c) { words_[used_ - 1].concepts.push_back(c); }

// de le: du, de les: des, à le: au, à les: aux, but de l' and à l' before a vowel.
void FrenchWords::contract() {
  size_t kept = 0;
  for (size_t i = 0; i < used_; ++i, ++kept) {
    if (kept != i) std::swap(words_[kept], words_[i]);
    Word& word = words_[kept];
    const bool de = word.text == "de", a = word.text == "à";
    if ((!de && !a) || i + 2 >= used_) continue;
    const bool le = words_[i + 1].text == "le" && !starts_with_vowel(words_[i + 2].text);
    if (!le && words_[i + 1].text != "les") continue;
    word.text = le ? (de ? "du" : "au") : (de ? "des" : "aux");
    for (const Concept& c : words_[++i].concepts) word.concepts.push_back(c);
  }
  used_ = kept;
}

void FrenchWords::finish(Line& line) {
  contract();
  for (size_t i = 0; i < used_; ++i) {
    if (i + 1 < used_) elide(words_[i].text, words_[i + 1].text);
    line.say(words_[i].text, {});
    for (const Concept& c : words_[i].concepts) line.also(c);
  }
  used_ = 0;
}

}  // namespace fovea::data::grammar
