#include "fovea/data/built_in.h"

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"

namespace fovea::data {

std::vector<BuiltIn> built_in_corpora() {
  std::vector<BuiltIn> all;
  for (const CorpusKind& kind : corpus_table()) all.push_back({.lines = &kind});
  for (const PictureCorpusKind& kind : picture_corpus_table()) all.push_back({.pictures = &kind});
  return all;
}

BuiltIn built_in_named(std::string_view name) {
  std::vector<std::string> names;
  for (const BuiltIn& corpus : built_in_corpora()) {
    if (corpus.name() == name) return corpus;
    names.emplace_back(corpus.name());
  }
  fail("corpus", "no built-in corpus is called {}; there are {}", quote(name), nearest_first(name, names));
}

}  // namespace fovea::data
