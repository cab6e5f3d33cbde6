// From pairs of lines to batches.
//   build/examples/example_batches                       pairs of the built-in grammar
//   build/examples/example_batches corpus.en corpus.de   files of your own, plain or gzip
#include <fmt/format.h>

#include "fovea/base/error.h"
#include "fovea/data/batches.h"
#include "fovea/data/corpora.h"
#include "fovea/data/parallel_text.h"

using namespace fovea;

int main(int argc, char** argv) try {
  const std::vector<data::Pair> pairs =
      argc == 3 ? data::read_pairs({argv[1], argv[2], ""}) : data::make_corpus("grammar").train;

  std::vector<std::string> lines;
  for (const data::Pair& pair : pairs) lines.insert(lines.end(), {pair.source, pair.target});
  const auto tokenizer = data::train_tokenizer(lines, {.kind = "spm", .vocab_size = 500});
  fmt::print("{}\n{}\n", pairs[0].source, fmt::join(tokenizer->pieces(pairs[0].source), " "));

  const data::Dataset dataset(pairs, *tokenizer, *tokenizer, /*max_length=*/100);
  fmt::print("{}\n", dataset.report().summary());

  data::PairStream batches(dataset, {.tokens = 3000, .seed = 1});
  for (int i = 0; i < 3; ++i) {
    const auto [epoch, index] = batches.position();
    const data::Batch batch = batches.next();
    fmt::print("epoch {} batch {} of {}: sources {}, targets {}, {} target tokens\n", epoch, index,
               batches.epoch_size(), batch.source.ids.shape().str(), batch.target_in.shape().str(),
               batch.target_tokens);
  }
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
