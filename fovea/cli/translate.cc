// fovea translate: source lines in, target lines out.
#include <optional>

#include "fovea/base/file.h"
#include "fovea/base/grouped.h"
#include "fovea/cli/alignment_output.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/unknown_tokens.h"
#include "fovea/cli/verbs.h"
#include "fovea/cli/work_meter.h"
#include "fovea/data/text_file.h"
#include "fovea/decode/translate.h"
#include "fovea/run/load.h"

namespace fovea::cli {
namespace {

struct Request {
  std::string model, input = "-", output;
  bool n_best = false, stats = false;
  AlignmentOutput alignment;
  decode::TranslateOptions options;
};

void add_options(Arguments& app, Request& r) {
  decode::Options& search = r.options.search;
  search.beam_size = 5;
  constexpr int64_t kMost = 1 << 20;
  app.take_last();
  app.add_option("-m,--model", r.model, "directory of the model, or of its training run")
      ->required()
      ->type_name("DIR");
  app.add_option("-i,--input", r.input, "text to translate, a sentence in each line, plain or gzip")
      ->capture_default_str()
      ->type_name("FILE");
  app.add_option("-o,--out,--output", r.output,
                 "where to write; appears when all is translated (default: standard output)")
      ->type_name("FILE");
  auto* beam = app.add_option("-b,--beam-size", search.beam_size,
                              "beam size: hypotheses kept at each step; 1 is greedy search")
                   ->capture_default_str()
                   ->range(1, 10'000)
                   ->type_name("N");
  app.add_flag("--n-best", r.n_best,
               "all that the beam found, best first: LINE ||| TEXT ||| F0= LOG_PROB ||| SCORE");
  add_alignment_options(app, r.alignment);
  app.add_option("--batch,--mini-batch", r.options.batch, "sentences side by side; changes the speed alone")
      ->capture_default_str()
      ->range(int64_t{1}, kMost)
      ->type_name("N");
  app.add_option("--normalize", search.normalize, "score = log-probability / length^A; 0: the sum itself")
      ->capture_default_str()
      ->range(0.0f, 100.0f)
      ->type_name("A");
  app.add_option("--max-length", r.options.max_length, "the most tokens a source line may have")
      ->capture_default_str()
      ->range(int64_t{1}, kMost)
      ->type_name("N");
  app.add_flag("--max-length-crop", r.options.crop,
               "cut longer lines there, instead of stopping with an error");
  app.add_option("--max-length-factor", search.max_length_factor,
                 "a target has at most F times the tokens of its source, and 10 more")
      ->capture_default_str()
      ->range(0.0f, 1000.0f)
      ->type_name("F");
  app.add_flag("--allow-unk", search.allow_unk, "<unk> may be written");
  app.add_option("--repeat-penalty", search.repetition_penalty,
                 "above 1: tokens that were written become less probable")
      ->capture_default_str()
      ->type_name("X");
  app.add_option("--stop", search.stop, "end a translation before this text; may be given several times")
      ->take_all()
      ->expected(1)
      ->type_name("TEXT");
  auto* sample =
      app.add_flag("--sample", search.sample, "sample tokens instead of searching for the best ones")
          ->excludes(beam);
  app.add_option("--temp", search.sampling.temperature,
                 "temperature: below 1, probable tokens are drawn more often")
      ->needs(sample)
      ->capture_default_str()
      ->range(1e-6f, 1e6f)
      ->type_name("T");
  app.add_option("--top-k", search.sampling.top_k, "draw from the K most probable tokens; 0: from all")
      ->needs(sample)
      ->capture_default_str()
      ->range(int64_t{0}, kMost)
      ->type_name("K");
  app.add_option("--top-p", search.sampling.top_p,
                 "draw from the fewest tokens whose probabilities add up to P")
      ->needs(sample)
      ->capture_default_str()
      ->range(1e-6f, 1.0f)
      ->type_name("P");
  app.add_option("--min-p", search.sampling.min_p,
                 "draw from tokens at least P times as probable as the most probable one")
      ->needs(sample)
      ->capture_default_str()
      ->range(0.0f, 1.0f)
      ->type_name("P");
  app.add_option("--seed", search.sampling.seed,
                 "seed for sampling; a line's draws depend on it and on the line's number")
      ->needs(sample)
      ->capture_default_str()
      ->range(int64_t{0}, int64_t{1} << 53)
      ->type_name("N");
  app.add_flag("--stats", r.stats, "say at the end how much was done, and how fast");
  add_threads(app);
  app.footer(
      "\nExample:\n"
      "  fovea translate -m en-ko < source.txt > target.txt\n"
      "  echo 'I am a student .' | fovea translate -m en-ko --alignment hard\n"
      "  fovea translate -m en-ko -i source.txt.gz -o best.txt --beam-size 8 --n-best\n"
      "  fovea translate -m en-ko --sample --temp 0.8 --top-p 0.9 --seed 7 < source.txt");
}

// Where results go: standard output, or a file that appears when all is done.
class Results {
 public:
  explicit Results(const std::string& path) {
    if (!path.empty() && path != "-") file_.emplace(path, "translate");
  }
  void write(std::string_view text) { file_ ? file_->write(text) : write_output(text); }
  void flush() {
    if (!file_) flush_output();
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::optional<StagedFile> file_;
};

class Run {
 public:
  explicit Run(Request request)
      : r_(std::move(request)),
        translator_(run::load_translator(r_.model), r_.options),
        meter_("translate"),
        unknown_(*translator_.model().source, "source tokens") {}

  void operator()() {
    data::TextFile input(r_.input, "translate");
    Results results(r_.output);
    std::vector<std::string> lines;
    for (int64_t first = 0; read(input, lines); first += static_cast<int64_t>(lines.size())) {
      std::vector<std::string> said(lines.size());
      translator_.translate(lines, first, [&](size_t i, decode::Translation one) {
        said[i] = format(first + static_cast<int64_t>(i), lines[i], one);
        meter_.add(1, static_cast<int64_t>(one.best().pieces.size()));
        cut_ += !one.best().ended;
      });
      for (const std::string& line : lines) unknown_.add(line);
      for (const std::string& line : said) results.write(line);
      results.flush();
    }
    results.commit();
    meter_.clear();
    unknown_.say("translate");
    if (cut_ > 0)
      fmt::print(
          stderr,
          "[translate] {} had no end after {:g} times the source's length and 10 tokens more, and {} cut "
          "there (--max-length-factor)\n",
          cut_ == 1 ? "1 translation" : grouped(cut_) + " translations", r_.options.search.max_length_factor,
          cut_ == 1 ? "was" : "were");
    if (r_.stats) fmt::print(stderr, "[translate] {}\n", meter_.summary());
  }

 private:
  // As many lines as sort well into batches; fewer where more would have to be waited for, or would be much text.
  bool read(data::TextFile& input, std::vector<std::string>& lines) const {
    constexpr int64_t kBatches = 100;
    const auto most = static_cast<size_t>(std::min<int64_t>(r_.options.batch * kBatches, 100'000));
    return input.next_lines(lines, most, [&](const std::string& line) {  // read, and about to be written
      const auto pieces = std::min<int64_t>(static_cast<int64_t>(line.size()), r_.options.max_length);
      return line.size() + static_cast<size_t>(r_.options.search.n_best * r_.alignment.bytes(pieces, pieces));
    });
  }

  std::string format(int64_t number, const std::string& source, const decode::Translation& said) const {
    std::string text;
    for (const decode::Candidate& one : said.candidates) {
      text += r_.n_best ? fmt::format("{} ||| {}", number, one.text) : one.text;
      if (r_.alignment.wanted()) {
        text += " ||| ";
        if (said.source_pieces.size() > 1)  // an empty line has no words to align
          text +=
              format_alignment(r_.alignment, translator_.model(), source, one.ids, one.weights, "translate");
      }
      if (r_.n_best) text += fmt::format(" ||| F0= {:.6g} ||| {:.6g}", one.log_prob, one.score);
      text += '\n';
    }
    return text;
  }

  Request r_;
  decode::Translator translator_;
  WorkMeter meter_;
  UnknownTokens unknown_;
  int64_t cut_ = 0;
};

}  // namespace

int translate(int argc, char** argv) {
  Request r;
  Arguments app("Translates lines of text.", "fovea translate");
  add_options(app, r);
  if (!parse(app, argc, argv)) return 0;
  decode::Options& search = r.options.search;
  if (search.sample) search.beam_size = 1;
  if (r.n_best) search.n_best = search.beam_size;
  if (r.alignment.wanted()) search.look = decode::look_at_source();
  Run(std::move(r))();
  return 0;
}

}  // namespace fovea::cli
