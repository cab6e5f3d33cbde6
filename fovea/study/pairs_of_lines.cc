#include "fovea/base/grouped.h"
#include "fovea/run/load.h"
#include "fovea/study/parts.h"
#include "fovea/study/subject.h"

namespace fovea::study {
namespace {

class PairsOfLines final : public Subject {
 public:
  PairsOfLines(Parts parts, const std::string& dir)
      : parts_(std::move(parts)), files_(data::write_corpus(parts_.pairs, dir + "/data", "study")) {}

  nlohmann::ordered_json sizes() const override {
    return {{"pairs",
             {{"train", parts_.pairs.train.size()},
              {"valid", parts_.pairs.valid.size()},
              {"test", parts_.pairs.test.size()}}}};
  }
  std::string summary() const override {
    return fmt::format("{} pairs to learn from, {} to test on", grouped(files_[0].pairs),
                       grouped(files_[2].pairs));
  }

  // Without links, trials that differ in guidance alone are one.
  std::vector<Trial> usable(std::vector<Trial> all) const override {
    std::vector<Trial> trials;
    for (Trial& trial : all) {
      if (files_[0].align.empty()) trial.settings.guided_alignment.clear();
      const auto same = [&](const Trial& other) { return other.settings == trial.settings; };
      if (std::none_of(trials.begin(), trials.end(), same)) trials.push_back(std::move(trial));
    }
    return trials;
  }

  void add_data(train::Settings& settings) const override {
    settings.train_sets = {files_[0].source, files_[0].target};
    settings.valid_sets = {files_[1].source, files_[1].target};
    if (settings.guided_alignment == kFromCorpus) settings.guided_alignment = files_[0].align;
    settings.tokenizer = parts_.tokenizer;
    settings.joint_vocab =
        parts_.tokenizer == "spm";  // one side alone may have too little text for so many pieces
  }

  bool test(const train::RunResult& trained, Outcome& outcome,
            const train::StopRequested& stop) const override {
    const train::Settings& settings = trained.state.settings;
    std::optional<std::vector<Counts>> lines =
        measure(run::load_translator(settings.out), parts_.pairs.test, settings.max_length, stop);
    if (lines) outcome.lines = std::move(*lines);
    return lines.has_value();
  }

  std::string text_of(const Outcome& outcome) const override {
    Counts sum;
    for (const Counts& line : outcome.lines) sum += line;
    const Quality quality = quality_of(sum);
    std::string text = fmt::format("BLEU {:.1f}, exact {:.1f} %", quality.bleu, quality.exact);
    if (quality.alignment_error) text += fmt::format(", alignment error {:.1f} %", *quality.alignment_error);
    return text;
  }

 private:
  Parts parts_;
  std::vector<data::PartFiles> files_;  // train, valid, test
};

Parts load_parts(data::CorpusOptions corpus, const Options& options) {
  if (!options.data.empty()) return file_parts(options.data[0], options.data[1]);
  corpus.seed = static_cast<uint64_t>(options.seed);
  corpus.test = tests_in_time(corpus.test, options.minutes);
  return corpus_parts("grammar", corpus);
}

}  // namespace

OpenSubject pairs_of_lines(data::CorpusOptions corpus) {
  return [corpus = std::move(corpus)](const Options& options, const std::string& dir) {
    return std::make_unique<PairsOfLines>(load_parts(corpus, options), dir);
  };
}

}  // namespace fovea::study
