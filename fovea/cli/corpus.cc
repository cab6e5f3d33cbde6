// fovea corpus: the built-in corpora, as files.
#include <filesystem>

#include "fovea/cli/corpus_pictures.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/data/alignment.h"
#include "fovea/data/built_in.h"

namespace fovea::cli {
namespace {

using data::Corpus;
using data::CorpusOptions;
using data::Pair;

constexpr int64_t kSamples = 10, kOnSheet = 40;

void list_lines(const data::CorpusKind& kind) {
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

// What there is, with a line of each.
void list() {
  print("Built-in corpora. fovea corpus NAME shows lines of one, fovea corpus NAME --out DIR writes it.\n");
  for (const data::BuiltIn& corpus : data::built_in_corpora()) {
    print("\n{}: {}\n", corpus.name(), corpus.what());
    if (corpus.lines)
      list_lines(*corpus.lines);
    else
      print("  {:<5} {}\n", corpus.pictures->captions ? "text" : "label",
            data::draw_sample(*corpus.pictures, {}, data::Part::kTrain, 0).text);
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
  data::PictureCorpusOptions pictures;
  std::string name, out, sheet;
  Arguments app(
      "Writes a built-in corpus: pairs of lines or pictures for training, made by the program itself.",
      "fovea corpus");
  app.add_option(
         "NAME", name,
         "copy, reverse, dates, grammar (lines), scenes or digits (pictures); without it, all are listed")
      ->option_text(" ");
  app.add_option("-o,--out", out, "directory to write train, valid and test to; without it, lines are shown")
      ->option_text("DIR");
  const auto count = [&](const char* flag, int64_t& value, const char* what) {
    return app.add_option(flag, value, what)->option_text("N")->range(int64_t{0}, int64_t{1} << 40);
  };
  count("--train", options.train, "pairs or pictures for training (default: the corpus's own)");
  count("--size", options.train, "the same as --train");
  count("--valid", options.valid, "pairs or pictures for validation");
  count("--test", options.test, "pairs or pictures for tests");
  app.add_option("--seed", options.seed, "other lines or pictures (default 1)")
      ->option_text("N")
      ->range(int64_t{0}, int64_t{1} << 53);
  count("--min-words", options.min_words, "shortest source line, in words")->group("Lines");
  count("--max-words", options.max_words, "longest source line, in words")->group("Lines");
  app.add_option("--lang", options.language, "target language of grammar: ko (default) or fr")
      ->option_text("LANG")
      ->group("Lines");
  app.add_option("--sheet", sheet, "write the first pictures on one sheet, to look at")
      ->option_text("FILE.png")
      ->group("Pictures");
  app.add_flag("--cluttered", pictures.cluttered,
               "digits on a field of 60 x 60 among pieces of others; scenes on grey lines")
      ->group("Pictures");
  app.add_option("--noise", pictures.noise, "standard deviation of noise on every pixel, white being 1")
      ->option_text("X")
      ->range(0.0, 1.0)
      ->group("Pictures");
  app.add_option("--min-shapes", pictures.min_shapes, "fewest shapes of a scene (default 1)")
      ->option_text("N")
      ->range(1, 3)
      ->group("Pictures");
  app.add_option("--max-shapes", pictures.max_shapes, "most shapes of a scene (default 3)")
      ->option_text("N")
      ->range(1, 3)
      ->group("Pictures");
  app.footer(
      "Example:\n"
      "  fovea corpus                                  what there is\n"
      "  fovea corpus grammar                          ten lines of it, with the word alignment\n"
      "  fovea corpus grammar --lang fr --out en-fr    train.en train.fr train.align, valid.*, test.*\n"
      "  fovea corpus grammar --min-words 40 --max-words 60 --train 1000 --out long\n"
      "  fovea corpus scenes --size 2000 --out scenes  train/000000.png train/captions.tsv "
      "train/masks/000000.png, ...\n"
      "  fovea corpus scenes --sheet scenes.png        forty of them, to look at\n"
      "  fovea corpus digits --cluttered --out digits  train/000000.png train/labels.tsv train/centres.tsv, "
      "...");
  if (!parse(app, argc, argv)) return 0;

  expect_usage(app.count("--train") == 0 || app.count("--size") == 0,
               "--train and --size say the same: give one of them");
  if (name.empty()) {
    expect_usage(out.empty(), "--out needs the name of a corpus");
    list();
    return 0;
  }
  const data::BuiltIn kind = named([&] { return data::built_in_named(name); });
  const auto expect_none_of = [&](std::initializer_list<const char*> flags, const char* of) {
    for (const char* flag : flags)
      expect_usage(app.count(flag) == 0, "{} is an option of {}: {} has none", flag, of, name);
  };
  expect_usage(out.empty() || sheet.empty(), "--out and --sheet: give one of them");
  if (out.empty()) {  // lines to look at: a few, of one part, unless more are asked for
    if (options.train < 0 && options.valid < 0 && options.test < 0)
      options.train = sheet.empty() ? kSamples : kOnSheet;
    for (int64_t* n : {&options.train, &options.valid, &options.test})
      if (*n < 0) *n = 0;
  }
  if (kind.pictures) {
    expect_none_of({"--min-words", "--max-words", "--lang"}, "corpora of lines");
    expect_usage(pictures.min_shapes <= pictures.max_shapes,
                 "--min-shapes {} --max-shapes {}: expected a range", pictures.min_shapes,
                 pictures.max_shapes);
    pictures.seed = options.seed;
    pictures.train = options.train;
    pictures.valid = options.valid;
    pictures.test = options.test;
    if (!sheet.empty())
      write_sheet(*kind.pictures, pictures, sheet);
    else if (out.empty())
      show_pictures(*kind.pictures, pictures);
    else
      write_pictures(*kind.pictures, pictures, out);
    return 0;
  }
  expect_none_of({"--sheet", "--cluttered", "--noise", "--min-shapes", "--max-shapes"},
                 "corpora of pictures");
  const Corpus corpus = named([&] { return data::make_corpus(name, options); });
  if (out.empty())
    show(corpus);
  else
    write(corpus, out);
  return 0;
}

}  // namespace fovea::cli
