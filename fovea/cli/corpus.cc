// fovea corpus: the built-in corpora, as files.
#include <filesystem>

#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/data/alignment.h"
#include "fovea/data/corpora.h"

namespace fovea::cli {
namespace {

using data::Corpus;
using data::CorpusOptions;
using data::Pair;

constexpr int64_t kSamples = 10;

// What there is, with a line of each.
void list() {
  print("Built-in corpora. fovea corpus NAME shows lines of one, fovea corpus NAME --out DIR writes it.\n");
  for (const data::CorpusKind& kind : data::corpus_table()) {
    print("\n{}: {}\n", kind.name, kind.what);
    for (const std::string_view target : kind.targets) {
      CorpusOptions options;
      options.train = 1;
      options.valid = options.test = 0;
      options.language = target;
      options.min_words = std::min<int64_t>(kind.max_words, 6);
      const Pair pair = data::make_corpus(kind.name, options).train.at(0);
      print("  {:<5} {}\n  {:<5} {}\n", kind.source, pair.source, target, pair.target);
    }
  }
}

void show(const Corpus& corpus) {
  for (const auto* part : {&corpus.train, &corpus.valid, &corpus.test})
    for (const Pair& pair : *part)
      print("{}\t{}\t{}\n", pair.source, pair.target, data::format_links(pair.links));
}

void write(const Corpus& corpus, const std::string& dir) {
  const std::vector<data::PartFiles> parts = data::write_corpus(corpus, dir);
  print("{:<6} {:>10} {:>14} {:>14}  {}\n", "part", "pairs", "source words", "target words", "files");
  for (const data::PartFiles& part : parts)
    print("{:<6} {:>10} {:>14} {:>14}  {}.{{{},{}{}}}\n", part.name, part.pairs, part.source_words,
          part.target_words, (std::filesystem::path(dir) / part.name).string(), corpus.source, corpus.target,
          part.align.empty() ? "" : ",align");
}

}  // namespace

int corpus(int argc, char** argv) {
  CorpusOptions options;
  std::string name, out;
  Arguments app("Writes a built-in corpus: pairs of lines for training, made by the program itself.",
                "fovea corpus");
  app.add_option("NAME", name, "copy, reverse, dates or grammar; without it, all are listed")
      ->option_text(" ");
  app.add_option("-o,--out", out, "directory to write train, valid and test to; without it, lines are shown")
      ->option_text("DIR");
  const auto count = [&](const char* flag, int64_t& value, const char* what) {
    app.add_option(flag, value, what)->option_text("N")->range(int64_t{0}, int64_t{1} << 40);
  };
  count("--train", options.train, "pairs for training (default: the corpus's own)");
  count("--valid", options.valid, "pairs for validation");
  count("--test", options.test, "pairs for tests");
  count("--min-words", options.min_words, "shortest source line, in words");
  count("--max-words", options.max_words, "longest source line, in words");
  app.add_option("--lang", options.language, "target language of grammar: ko (default) or fr")
      ->option_text("LANG");
  app.add_option("--seed", options.seed, "draw another corpus (default 1)")
      ->option_text("N")
      ->range(int64_t{0}, int64_t{1} << 53);
  app.footer(
      "Example:\n"
      "  fovea corpus                                  what there is\n"
      "  fovea corpus grammar                          ten lines of it, with the word alignment\n"
      "  fovea corpus grammar --lang fr --out en-fr    train.en train.fr train.align, valid.*, test.*\n"
      "  fovea corpus grammar --min-words 40 --max-words 60 --train 1000 --out long");
  if (!parse(app, argc, argv)) return 0;

  if (name.empty()) {
    expect_usage(out.empty(), "--out needs the name of a corpus");
    list();
    return 0;
  }
  const auto make = [&] { return named([&] { return data::make_corpus(name, options); }); };
  if (out.empty()) {  // lines to look at: a few, of one part, unless more are asked for
    if (options.train < 0 && options.valid < 0 && options.test < 0) options.train = kSamples;
    for (int64_t* n : {&options.train, &options.valid, &options.test})
      if (*n < 0) *n = 0;
    show(make());
  } else {
    write(make(), out);
  }
  return 0;
}

}  // namespace fovea::cli
