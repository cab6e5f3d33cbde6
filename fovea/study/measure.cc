#include "fovea/study/measure.h"

#include "fovea/data/blanks.h"
#include "fovea/decode/alignment.h"
#include "fovea/decode/score.h"
#include "fovea/decode/translate.h"

namespace fovea::study {
namespace {

constexpr int64_t kSentences = 64;  // side by side

struct ToldToStop {};

class Test {
 public:
  Test(const models::Model& model, std::span<const data::Pair> pairs, int64_t longest,
       const std::function<bool()>& stop)
      : model_(model), pairs_(pairs), longest_(longest), stop_(stop), counts_(pairs.size()) {}

  std::vector<Counts> operator()() {
    translate();
    align();
    return std::move(counts_);
  }

 private:
  void check_stop() const {
    if (stop_ && stop_()) throw ToldToStop();
  }

  void translate() {
    decode::TranslateOptions options;
    options.batch = kSentences;
    options.max_length = longest_;
    options.crop = true;
    std::vector<std::string> sources;
    for (const data::Pair& pair : pairs_) sources.push_back(pair.source);
    decode::Translator(model_, options)
        .translate(sources, 0, [&](size_t i, const decode::Translation& translation) {
          check_stop();
          const std::string_view reference[] = {pairs_[i].target};
          counts_[i].bleu = metrics::bleu_counts(translation.best().text, reference);
          counts_[i].exact = metrics::exact_counts(translation.best().text, reference);
        });
  }

  void align() {
    std::vector<size_t> which;  // pairs that have links
    std::vector<std::vector<int32_t>> sources, targets;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_[i].links.empty()) continue;
      std::vector<int32_t> source = model_.source->encode(pairs_[i].source);
      if (static_cast<int64_t>(source.size()) > longest_) continue;
      which.push_back(i);
      sources.push_back(std::move(source));
      targets.push_back(model_.target->encode(pairs_[i].target));
    }
    decode::score_all(*model_.net, sources, targets, kSentences, true,
                      [&](size_t k, const decode::Scored& scored) {
                        check_stop();
                        if (scored.look.defined()) counts_[which[k]].links = links_of(which[k], scored.look);
                      });
  }

  metrics::AlignmentCounts links_of(size_t i, const Tensor& look) const {
    const data::Pair& pair = pairs_[i];
    const Tensor map =
        decode::align_words(look, model_.source->words_of(pair.source), model_.target->words_of(pair.target));
    return metrics::alignment_counts(decode::hard_links(map, data::count_words(pair.target)), pair.links);
  }

  const models::Model& model_;
  std::span<const data::Pair> pairs_;
  int64_t longest_;
  const std::function<bool()>& stop_;
  std::vector<Counts> counts_;
};

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  bleu += other.bleu;
  exact += other.exact;
  links += other.links;
  return *this;
}

Quality quality_of(const Counts& counts) {
  Quality quality;
  quality.lines = counts.exact.lines;
  quality.bleu = metrics::bleu_score(counts.bleu).score;
  quality.exact = metrics::exact_score(counts.exact);
  if (counts.links.sure > 0) quality.alignment_error = metrics::alignment_score(counts.links).error_rate;
  return quality;
}

std::optional<std::vector<Counts>> measure(const models::Model& model, std::span<const data::Pair> pairs,
                                           int64_t longest, const std::function<bool()>& stop) {
  try {
    return Test(model, pairs, longest, stop)();
  } catch (const ToldToStop&) {
    return {};
  }
}

}  // namespace fovea::study
