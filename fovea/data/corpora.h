// Corpora that the program writes by itself, by name. To add one: corpora/NAME.cc, its declaration in
// corpora/kinds.h, a row in corpora/table.cc.
//
// A corpus is a function that draws pairs. What is done with them is the same for all:
// - Equal sources have equal targets, and no source is drawn twice.
// - Train, valid and test never share a source: a hash of the source line says which part it belongs to (90, 5
//   and 5 of 100), whatever the seed and the options. So a model trained on one seed can be tested on another's test
//   set, and one trained on short lines on long ones.
// - The same options give the same lines, and fewer lines are the first ones of more.
// - The sentences of showcase() are in no part: they are there to be shown to a model that has never seen them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/data/pair.h"

namespace fovea::data {

struct CorpusOptions {
  uint64_t seed = 1;
  int64_t train = -1, valid = -1, test = -1;  // how many pairs; -1: as many as the corpus has by itself
  int64_t min_words = 0, max_words = 0;       // of a source line; 0: the corpus's own
  std::string language;                       // of the targets, where there is a choice; empty: the first
};

// What a corpus draws pairs by: the options with every default filled in.
struct Recipe {
  int64_t min_words = 1, max_words = 1;
  std::string_view language;
};

struct CorpusKind {
  const char* name;
  const char* what;
  const char* source;                          // "en": what the source side is called, and its file's ending
  std::span<const std::string_view> targets;   // "ko", "fr": the choices of the target side
  const char* tokenizer;                       // that suits it: "word", "char"
  int64_t train, valid, test;                  // by default
  int64_t min_words, max_words;                // of a source line, by default
  int64_t fewest_words, most_words;            // that can be asked for
  std::span<const std::string_view> showcase;  // sources that are in no part
  // Writes a pair whose source has min_words to max_words words. May give up by leaving the source empty.
  void (*draw)(Random& random, const Recipe& recipe, Pair& pair);
};
std::span<const CorpusKind> corpus_table();
// Throws for an unknown name, and names the nearest.
const CorpusKind& corpus_named(std::string_view name);

struct Corpus {
  std::string source, target;  // what the sides are called: "en", "ko"
  std::vector<Pair> train, valid, test;
};
// Throws for options that cannot be: a language that is not there, more lines than there are.
Corpus make_corpus(std::string_view name, const CorpusOptions& options = {});

// One part of a corpus as files: DIR/train.en, DIR/train.ko, and DIR/train.align where there are links.
struct PartFiles {
  std::string name;                   // "train"
  std::string source, target, align;  // paths; no align: there are no links
  int64_t pairs = 0, source_words = 0, target_words = 0;
};
// The parts that are not empty, train before valid before test. All files appear, or none does; the directory is made
// where there is none. `who` starts messages.
std::vector<PartFiles> write_corpus(const Corpus& corpus, const std::string& dir,
                                    std::string_view who = "corpus");

}  // namespace fovea::data
