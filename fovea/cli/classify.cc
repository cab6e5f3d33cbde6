// fovea classify: a label for each line, or for each of its words.

#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/reading_options.h"
#include "fovea/cli/unknown_tokens.h"
#include "fovea/cli/verbs.h"
#include "fovea/cli/work_meter.h"
#include "fovea/data/blanks.h"
#include "fovea/data/text_file.h"
#include "fovea/decode/read_lines.h"
#include "fovea/kernels/activations.h"
#include "fovea/kernels/softmax.h"
#include "fovea/run/load.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kWho = "classify";

struct Request : ReadingOptions {
  bool pairs = false, all = false;
};

// The label with the largest value, and all values: shares of one, probabilities of each, or numbers as they are.
struct Verdict {
  size_t label = 0;
  std::vector<float> values;
};
Verdict verdict_of(std::span<const float> logits, run::Labelling labelling) {
  using run::Labelling;
  Verdict v;
  v.values.assign(logits.begin(), logits.end());
  const auto count = static_cast<int64_t>(logits.size());
  if (labelling == Labelling::kOne) kernels::softmax_rows(logits.data(), v.values.data(), 1, count);
  if (labelling == Labelling::kEach)
    kernels::activate(kernels::Activation::kSigmoid, logits.data(), v.values.data(), count);
  v.label = static_cast<size_t>(std::max_element(v.values.begin(), v.values.end()) - v.values.begin());
  return v;
}

class Run {
 public:
  explicit Run(Request request)
      : r_(std::move(request)),
        model_(run::load_encoder(r_.model)),
        meter_(kWho),
        unknown_(*model_.tokenizer) {
    const run::Head head = model_.encoder->info().head;
    check(head == run::Head::kLabels || head == run::Head::kTokenLabels, kWho,
          "{} has no labels: train it with fovea train --model bert --task labels", r_.model);
    of_words_ = head == run::Head::kTokenLabels;
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
    std::vector<data::Reading> readable;
    for (const std::string& line : lines) {
      const int64_t number = first + static_cast<int64_t>(readable.size()) + 1;
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
      readable.push_back(decode::readable(model_, r_.pairs ? text.substr(0, tab) : text,
                                          r_.pairs ? text.substr(tab + 1) : std::string_view(), r_.pairs,
                                          r_.read, kWho, number));
    }
    std::vector<std::string> said(lines.size());
    decode::for_each_batch(
        readable, r_.read.batch, [&](std::span<const size_t> which, std::span<const run::Text> texts) {
          const Tensor logits = model_.encoder->logits(texts);
          int64_t row = 0;
          for (size_t i = 0; i < which.size(); ++i) {
            const auto length = static_cast<int64_t>(texts[i].ids.size()), rows = of_words_ ? length : 1;
            decode::check_numbers(logits.slice(row, row + rows), kWho,
                                  first + static_cast<int64_t>(which[i]) + 1);
            said[which[i]] =
                of_words_ ? labels_of_words(lines[which[i]], logits, row, length) : label_of(logits, row);
            row += rows;
            meter_.add(1, length);
          }
        });
    for (const std::string& line : said) write_output(line + "\n");
  }

  Verdict verdict(const Tensor& logits, int64_t row) const {
    const auto C = static_cast<size_t>(logits.dim(1));
    return verdict_of(logits.span<float>().subspan(static_cast<size_t>(row) * C, C),
                      model_.encoder->info().labelling);
  }

  // LABEL <tab> PROBABILITY, and with --all every label's.
  std::string label_of(const Tensor& logits, int64_t row) const {
    const Verdict v = verdict(logits, row);
    const std::vector<std::string>& labels = model_.encoder->info().labels;
    std::string text = fmt::format("{}\t{:.4f}", labels[v.label], v.values[v.label]);
    for (size_t c = 0; r_.all && c < labels.size(); ++c)
      text += fmt::format("\t{} {:.4f}", labels[c], v.values[c]);
    return text;
  }

  // WORD/LABEL ..., the label of a word being that of its first piece.
  std::string labels_of_words(const std::string& line, const Tensor& logits, int64_t row,
                              int64_t length) const {
    const std::vector<int32_t> words = model_.tokenizer->words_of(line);
    std::string text;
    int32_t last = -1;
    size_t at = 0;
    std::vector<std::string_view> names;
    data::for_each_word(line, [&](std::string_view word) { names.push_back(word); });
    for (; at < words.size() && static_cast<int64_t>(at) + 2 < length; ++at) {
      if (words[at] == last || words[at] < 0) continue;
      last = words[at];
      const Verdict v = verdict(logits, row + 1 + static_cast<int64_t>(at));
      text += fmt::format("{}{}/{}", text.empty() ? "" : " ", names[static_cast<size_t>(last)],
                          model_.encoder->info().labels[v.label]);
    }
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
      "Says the label of each line and its probability; or WORD/LABEL for a model that labels words. Where a "
      "model's config says that "
      "labels stand for themselves, or are numbers, so are the values.",
      "fovea classify");
  add_reading_options(app, r);
  app.add_flag("--pairs", r.pairs, "two sentences a line, with a tab between them");
  app.add_flag("--all", r.all, "the probabilities of all labels");
  app.footer("Example:\n  fovea classify -m sentiment < reviews.txt");
  if (!parse(app, argc, argv)) return 0;
  Run(std::move(r))();
  return 0;
}

}  // namespace fovea::cli
