// fovea score: log-probabilities of given translations, or of the lines of a text.
#include <fmt/ranges.h>

#include <cmath>

#include "fovea/base/grouped.h"
#include "fovea/cli/alignment_output.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/cli/work_meter.h"
#include "fovea/data/parallel_text.h"
#include "fovea/data/text_file.h"
#include "fovea/decode/looks.h"
#include "fovea/decode/options.h"
#include "fovea/decode/score.h"
#include "fovea/decode/score_text.h"
#include "fovea/run/load.h"

namespace fovea::cli {
namespace {

struct Request {
  std::string model, source, target, columns = "-";
  bool words = false, stats = false;
  int64_t batch = 32, max_length = 1000;
  AlignmentOutput alignment;
};

void add_options(Arguments& app, Request& r) {
  constexpr int64_t kMost = 1 << 20;
  app.take_last();
  app.add_option("-m,--model", r.model, "directory of the model, or of its training run")
      ->required()
      ->type_name("DIR");
  auto* source = app.add_option("--source", r.source, "source lines, plain or gzip")->type_name("FILE");
  auto* target = app.add_option("--target", r.target, "their translations, line by line")->type_name("FILE");
  source->needs(target);
  target->needs(source);
  app.add_option("--tsv", r.columns,
                 "both as columns with a tab between them; lines of a text, for a model that continues texts")
      ->excludes(source)
      ->capture_default_str()
      ->type_name("FILE");
  app.add_flag("--word-scores", r.words, "also each token and its log-probability");
  add_alignment_options(app, r.alignment);
  app.add_option("--batch,--mini-batch", r.batch, "pairs side by side; changes the speed alone")
      ->capture_default_str()
      ->range(int64_t{1}, kMost)
      ->type_name("N");
  app.add_option("--max-length", r.max_length, "the most tokens a line may have")
      ->capture_default_str()
      ->range(int64_t{1}, kMost)
      ->type_name("N");
  app.add_flag("--stats", r.stats, "say at the end how much was done, and how fast");
  add_threads(app);
  app.footer(
      "\nA line for each pair: log-probability of the target given the source, TAB, how many tokens it has "
      "(<eos> is "
      "one).\n"
      "\nExample:\n"
      "  fovea score -m en-ko --source test.en --target test.ko > scores.tsv\n"
      "  paste test.en test.ko | fovea score -m en-ko --word-scores\n"
      "  fovea score -m en-ko --source test.en --target test.ko --alignment hard > forced.txt\n"
      "  fovea score -m gpt2 < lines.txt");
}

class Run {
 public:
  Run(Request request, run::LoadedDecoder model)
      : r_(std::move(request)), model_(std::move(model)), meter_("score") {}

  void operator()() {
    data::ParallelText text(r_.source.empty() ? data::ParallelFiles{r_.columns, "", ""}
                                              : data::ParallelFiles{r_.source, r_.target, ""},
                            "score");
    std::vector<data::Pair> pairs;
    for (int64_t first = 0; read(text, pairs); first += static_cast<int64_t>(pairs.size())) {
      std::vector<decode::ScoreRequest> requests;
      for (const data::Pair& pair : pairs) {
        const int64_t line = first + static_cast<int64_t>(requests.size()) + 1;
        requests.push_back({.source = encode(*model_.source, pair.source, line, "source"),
                            .target = encode(*model_.target, pair.target, line, "target")});
      }
      std::vector<std::string> said(pairs.size());
      decode::score_all(*model_.decoder, requests, r_.batch,
                        r_.alignment.wanted() ? decode::look_at_source() : run::LookAt{},
                        [&](size_t i, const decode::Scored& scored) {
                          said[i] = format(pairs[i], requests[i].target, scored);
                          meter_.add(1, static_cast<int64_t>(scored.tokens.size()));
                        });
      for (const std::string& line : said) write_output(line);
      flush_output();
    }
    meter_.clear();
    if (r_.stats) fmt::print(stderr, "[score] {}\n", meter_.summary());
  }

 private:
  bool read(data::ParallelText& text, std::vector<data::Pair>& pairs) const {
    constexpr int64_t kBatches = 100;
    constexpr size_t kBytes = size_t{1} << 24;
    const auto most = static_cast<size_t>(std::min<int64_t>(r_.batch * kBatches, 100'000));
    pairs.clear();
    size_t bytes = 0;
    for (data::Pair pair; pairs.size() < most && bytes < kBytes && (pairs.empty() || text.ready());) {
      if (!text.next(pair)) break;
      const auto pieces = [&](const std::string& line) {
        return std::min<int64_t>(static_cast<int64_t>(line.size()), r_.max_length);
      };
      bytes += pair.source.size() + pair.target.size() +
               static_cast<size_t>(r_.alignment.bytes(pieces(pair.source), pieces(pair.target)));
      pairs.push_back(pair);
    }
    return !pairs.empty();
  }

  std::vector<int32_t> encode(const data::Tokenizer& tokenizer, const std::string& line, int64_t number,
                              std::string_view side) const {
    std::vector<int32_t> ids = tokenizer.encode(line);
    if (static_cast<int64_t>(ids.size()) > r_.max_length)
      fail("score",
           "line {}: the {} has {} tokens, more than --max-length {}: raise it, or leave the pair out",
           grouped(number), side, grouped(static_cast<int64_t>(ids.size())), grouped(r_.max_length));
    const int64_t most = model_.decoder->info().longest_source;
    check(side != "source" || most == 0 || static_cast<int64_t>(ids.size()) <= most, "score",
          "line {}: the source has {} tokens, more than {}, which is what this model can read: leave the "
          "pair out",
          grouped(number), grouped(static_cast<int64_t>(ids.size())), grouped(most));
    return ids;
  }

  std::string format(const data::Pair& pair, const std::vector<int32_t>& target,
                     const decode::Scored& scored) const {
    check(std::isfinite(scored.log_prob), "score",
          "{} has no log-probability that is finite: its training went wrong, or its files are damaged",
          r_.model);
    std::string text = fmt::format("{:.6f}\t{}", scored.log_prob, scored.tokens.size());
    if (r_.words) {
      std::vector<std::string> pieces = model_.target->pieces(pair.target);
      pieces.emplace_back("<eos>");
      text += fmt::format("\t{}\t{:.4f}", fmt::join(pieces, " "), fmt::join(scored.tokens, " "));
    }
    if (r_.alignment.wanted())
      text += " ||| " + format_alignment(r_.alignment, model_, pair.source, target,
                                         decode::last_layer(scored.looked, run::Site::kCross), "score");
    return text + '\n';
  }

  Request r_;
  run::LoadedDecoder model_;
  WorkMeter meter_;
};

// For each line: its log-probability, TAB, how many tokens that is of; with `words` also each token and its log-probability.
void score_lines(const run::LoadedDecoder& model, const std::string& path, bool words) {
  data::TextFile input(path, "score");
  for (std::string line; input.next(line);) {
    const decode::ScoredText scored = decode::score_text(model, line, input.lines());
    std::string text = fmt::format("{:.6f}\t{}", scored.log_prob, scored.tokens.size());
    if (words) {
      std::vector<std::string> tokens;
      for (size_t i = 1; i < scored.ids.size(); ++i) tokens.push_back(model.source->piece(scored.ids[i]));
      text += fmt::format("\t{}\t{:.4f}", fmt::join(tokens, " "), fmt::join(scored.tokens, " "));
    }
    write_output(text + "\n");
    flush_output();
  }
}

}  // namespace

int score(int argc, char** argv) {
  Request r;
  Arguments app("Scores translations; or the lines of a text, by a model that continues texts.",
                "fovea score");
  add_options(app, r);
  if (!parse(app, argc, argv)) return 0;
  const run::LoadedDecoder model = run::load_decoder(r.model);
  check(!model.decoder->info().reads_pictures, "score", "{} looks at pictures; expected one that reads text",
        r.model);
  if (!model.decoder->info().reads_source) {
    expect_usage(r.source.empty() && !r.alignment.wanted(),
                 "--source, --target and --alignment are about models that translate");
    for (const char* flag : {"--stats", "--max-length", "--batch"})
      expect_usage(app.count(flag) == 0, "{} is about models that translate", flag);
    score_lines(model, r.columns, r.words);
    return 0;
  }
  Run(std::move(r), model)();
  return 0;
}

}  // namespace fovea::cli
