// fovea classify: a label for each line, for each of its words, or for each picture.

#include "fovea/decode/classify.h"
#include "fovea/cli/classify_pictures.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/reading_options.h"
#include "fovea/cli/unknown_tokens.h"
#include "fovea/cli/verbs.h"
#include "fovea/cli/work_meter.h"
#include "fovea/data/text_file.h"
#include "fovea/run/load.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kWho = "classify";

struct Request : ReadingOptions {
  bool pairs = false, all = false;
  PictureRequest pictures;
};

class Run {
 public:
  Run(Request request, run::LoadedEncoder model)
      : r_(std::move(request)), model_(std::move(model)), meter_(kWho), unknown_(*model_.tokenizer) {
    decode::check_classifies(model_, r_.model);
    of_words_ = model_.encoder->info().head == run::Head::kTokenLabels;
    r_.read.on_batch = [this](int64_t lines, int64_t tokens) { meter_.add(lines, tokens); };
    expect_usage(!of_words_ || !r_.all, "--all is about labels of sentences, and {} labels words", r_.model);
    check(!of_words_ || !r_.pairs, kWho, "{} labels the words of one sentence: leave out --pairs", r_.model);
  }

  void operator()() {
    data::TextFile input(r_.input, kWho);
    constexpr size_t kAtOnce = 4096;
    std::vector<std::string> lines;
    while (input.next_lines(lines, kAtOnce)) {
      say(lines, input.lines() - static_cast<int64_t>(lines.size()));
      flush_output();
    }
    meter_.clear();
    unknown_.say(kWho);
    if (r_.stats) fmt::print(stderr, "[classify] {}\n", meter_.summary());
  }

 private:
  void say(const std::vector<std::string>& lines, int64_t first) {
    std::vector<decode::LineOrPair> read;
    for (const std::string& line : lines) {
      const int64_t number = first + static_cast<int64_t>(read.size()) + 1;
      const size_t tab = line.find('\t');
      check(!r_.pairs || tab != std::string::npos, kWho,
            "line {} has no tab: --pairs expects two sentences a line", number);
      check(
          r_.pairs || tab == std::string::npos, kWho,
          "line {} has a tab: give --pairs for two sentences a line, or cut the other columns off (cut -f1)",
          number);
      const auto text = std::string_view(line);
      unknown_.add(text.substr(0, tab));
      if (r_.pairs) unknown_.add(text.substr(tab + 1));
      read.push_back({text.substr(0, tab)});
      if (r_.pairs) read.back().second = text.substr(tab + 1);
    }
    r_.read.first_line = first;
    for (const decode::Classified& one : decode::classify_lines(model_, read, r_.read))
      write_output((of_words_ ? labels_of_words(one) : label_of(one.line)) + "\n");
  }

  // LABEL <tab> PROBABILITY, and with --all every label's.
  std::string label_of(const decode::LabelValues& line) const {
    const std::vector<std::string>& labels = model_.encoder->info().labels;
    const size_t best = line.best();
    std::string text = fmt::format("{}\t{:.4f}", labels[best], line.values[best]);
    for (size_t c = 0; r_.all && c < labels.size(); ++c)
      text += fmt::format("\t{} {:.4f}", labels[c], line.values[c]);
    return text;
  }

  // WORD/LABEL ...
  std::string labels_of_words(const decode::Classified& line) const {
    std::string text;
    for (const auto& [word, labels] : line.words)
      text +=
          fmt::format("{}{}/{}", text.empty() ? "" : " ", word, model_.encoder->info().labels[labels.best()]);
    return text;
  }

  Request r_;
  run::LoadedEncoder model_;
  WorkMeter meter_;
  UnknownTokens unknown_;
  bool of_words_ = false;
};

}  // namespace

int classify(int argc, char** argv) {
  Request r;
  Arguments app(
      "Says the label of each line and its probability; WORD/LABEL for a model that labels words; or the "
      "label "
      "of each picture. Where a "
      "model's config says that "
      "labels stand for themselves, or are numbers, so are the values.",
      "fovea classify");
  add_reading_options(app, r);
  app.add_flag("--pairs", r.pairs, "two sentences a line, with a tab between them");
  app.add_flag("--all", r.all, "the probabilities of all labels");
  app.add_option("files", r.pictures.files,
                 "pictures, or directories of them, for a model that labels pictures")
      ->type_name("FILE");
  app.add_option("--top", r.pictures.top, "of pictures: so many labels, the most probable first")
      ->capture_default_str()
      ->range(1, 1'000'000)
      ->type_name("K");
  app.add_flag("--json", r.pictures.json, "of pictures: one JSON object a line");
  app.footer(
      "Example:\n"
      "  fovea classify -m sentiment < reviews.txt\n"
      "  fovea classify -m digits seven.png --top 3");
  if (!parse(app, argc, argv)) return 0;
  const run::Loaded model = run::load(r.model);
  if (const std::shared_ptr<const run::PictureEncoder> pictures = run::as_picture_encoder(model.runner)) {
    check(!pictures->info().labels.empty(), kWho, "{} has no labels; it {}", r.model, model.what);
    expect_usage(!r.pictures.files.empty(),
                 "{} labels pictures: give files, as in fovea classify -m {} a.png", r.model, r.model);
    expect_usage(!r.pairs, "--pairs is about sentences, and {} labels pictures", r.model);
    if (r.all) r.pictures.top = static_cast<int64_t>(pictures->info().labels.size());
    classify_pictures(*pictures, r.pictures);
    return 0;
  }
  expect_usage(r.pictures.files.empty() && !r.pictures.json,
               "pictures and --json are about a model that labels pictures; {} reads lines from --input",
               r.model);
  run::LoadedEncoder encoder = run::as_encoder(model, r.model);
  Run(std::move(r), std::move(encoder))();
  return 0;
}

}  // namespace fovea::cli
