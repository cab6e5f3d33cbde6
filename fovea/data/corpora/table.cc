#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/data/corpora/kinds.h"

namespace fovea::data {

std::span<const CorpusKind> corpus_table() {
  static const CorpusKind table[] = {
      copy_corpus(),
      reverse_corpus(),
      dates_corpus(),
      grammar_corpus(),
  };
  return table;
}

const CorpusKind& corpus_named(std::string_view name) {
  std::vector<std::string> names;
  for (const CorpusKind& kind : corpus_table()) {
    if (kind.name == name) return kind;
    names.emplace_back(kind.name);
  }
  fail("corpus", "no built-in corpus is called {}; there are {}", quote(name), nearest_first(name, names));
}

}  // namespace fovea::data
