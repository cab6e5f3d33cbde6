#include "fovea/data/grammar/line.h"

#include <algorithm>
#include <tuple>

namespace fovea::data::grammar {

void Line::clear() {
  text_.clear();
  words_ = 0;
  tags_.clear();
}

void Line::say(std::string_view word, std::initializer_list<Concept> concepts) {
  if (words_ > 0) text_ += ' ';
  text_ += word;
  for (const Concept& c : concepts) tags_.push_back({c.id, words_, c.sure});
  ++words_;
}

void Line::also(Concept c) { tags_.push_back({c.id, words_ - 1, c.sure}); }

void Line::say_phrase(std::string_view phrase, Concept whole) {
  for_each_in_phrase(phrase, whole, [&](std::string_view word, Concept own) {
    say(word, {maybe(whole), own});
  });
}

void link(const Line& source, const Line& target, std::vector<Link>& links) {
  auto from = source.tags_, to = target.tags_;
  const auto by_concept = [](const Line::Tag& a, const Line::Tag& b) { return a.concept_id < b.concept_id; };
  std::sort(from.begin(), from.end(), by_concept);
  std::sort(to.begin(), to.end(), by_concept);
  links.clear();
  for (auto f = from.begin(), t = to.begin(); f != from.end(); ++f) {
    while (t != to.end() && t->concept_id < f->concept_id) ++t;
    for (auto u = t; u != to.end() && u->concept_id == f->concept_id; ++u)
      links.push_back({f->word, u->word, f->sure && u->sure});
  }
  // Of two links between the same words the sure one comes first, and stays.
  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
    return std::tuple(a.target, a.source, !a.sure) < std::tuple(b.target, b.source, !b.sure);
  });
  links.erase(
      std::unique(links.begin(), links.end(),
                  [](const Link& a, const Link& b) { return a.source == b.source && a.target == b.target; }),
      links.end());
}

}  // namespace fovea::data::grammar
