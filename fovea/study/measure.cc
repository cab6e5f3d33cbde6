#include "fovea/study/measure.h"

#include "fovea/data/blanks.h"
#include "fovea/decode/alignment.h"
#include "fovea/decode/looks.h"
#include "fovea/decode/score.h"
#include "fovea/decode/translate.h"

namespace fovea::study {
namespace {

constexpr int64_t kSentences = 64;  // side by side

class Test {
 public:
  Test(const run::LoadedDecoder& model, std::span<const data::Pair> pairs, int64_t longest,
       const std::function<bool()>& stop)
      : model_(model), pairs_(pairs), longest_(longest), stop_(stop), counts_(pairs.size()) {}

  std::optional<std::vector<Counts>> operator()() {
    if (!translate() || !align()) return {};
    return std::move(counts_);
  }

 private:
  bool translate() {
    decode::TranslateOptions options;
    options.batch = kSentences;
    options.max_length = longest_;
    options.crop = true;
    std::vector<std::string> sources;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      sources.push_back(pairs_[i].source);
      counts_[i].source_words = data::count_words(pairs_[i].source);
    }
    return decode::Translator(model_, options)
        .translate(
            sources, 0,
            [&](size_t i, const decode::Translation& translation) {
              const std::string_view reference[] = {pairs_[i].target};
              counts_[i].bleu = metrics::bleu_counts(translation.best().text, reference);
              counts_[i].exact = metrics::exact_counts(translation.best().text, reference);
            },
            stop_);
  }

  bool align() {
    std::vector<size_t> which;  // pairs that have links
    std::vector<decode::ScoreRequest> requests;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_[i].links.empty()) continue;
      std::vector<int32_t> source = model_.source->encode(pairs_[i].source);
      if (static_cast<int64_t>(source.size()) > longest_) continue;
      which.push_back(i);
      requests.push_back({.source = std::move(source), .target = model_.target->encode(pairs_[i].target)});
    }
    return decode::score_all(
        *model_.decoder, requests, kSentences, decode::look_at_source(),
        [&](size_t k, const decode::Scored& scored) {
          const Tensor look = decode::last_layer(scored.looked, run::Site::kCross);
          if (look.defined()) counts_[which[k]].links = links_of(which[k], look);
        },
        stop_);
  }

  metrics::AlignmentCounts links_of(size_t i, const Tensor& look) const {
    const data::Pair& pair = pairs_[i];
    const Tensor map =
        decode::align_words(look, model_.source->words_of(pair.source), model_.target->words_of(pair.target));
    return metrics::alignment_counts(decode::hard_links(map, data::count_words(pair.target)), pair.links);
  }

  const run::LoadedDecoder& model_;
  std::span<const data::Pair> pairs_;
  int64_t longest_;
  const std::function<bool()>& stop_;
  std::vector<Counts> counts_;
};

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  source_words += other.source_words;
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

std::optional<std::vector<Counts>> measure(const run::LoadedDecoder& model, std::span<const data::Pair> pairs,
                                           int64_t longest, const std::function<bool()>& stop) {
  return Test(model, pairs, longest, stop)();
}

}  // namespace fovea::study
