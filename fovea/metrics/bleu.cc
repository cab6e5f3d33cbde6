#include "fovea/metrics/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "fovea/metrics/bleu_tokenizers.h"
#include "fovea/metrics/lowercase.h"
#include "fovea/metrics/ngrams.h"
#include "fovea/metrics/sum_lines.h"
#include "fovea/metrics/words.h"

namespace fovea::metrics {
namespace {

std::string spaced(std::string_view line, const BleuTokenizer& tokenizer, const BleuOptions& options) {
  std::string out;
  if (options.lowercase) {
    tokenizer.spaced(strip_end(lowercase(line)), out);
  } else {
    tokenizer.spaced(strip_end(line), out);
  }
  return out;
}

}  // namespace

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  for (size_t n = 0; n < kBleuOrder; ++n) {
    correct[n] += other.correct[n];
    total[n] += other.total[n];
  }
  hyp_len += other.hyp_len;
  ref_len += other.ref_len;
  return *this;
}

BleuCounts bleu_counts(std::string_view hypothesis, std::span<const std::string_view> references,
                       const BleuOptions& options) {
  thread_local WordNumbers numbers;
  thread_local NgramMatcher match;
  const BleuTokenizer& tokenizer = bleu_tokenizer_named(options.tokenize);
  std::vector<std::string> texts = {spaced(hypothesis, tokenizer, options)};
  for (std::string_view reference : references) texts.push_back(spaced(reference, tokenizer, options));
  std::vector<std::vector<std::string_view>> words;
  size_t most = 0;
  for (const std::string& text : texts) most += words.emplace_back(split_words(text)).size();
  numbers.clear(most);
  std::vector<std::vector<uint32_t>> lines(words.size());
  for (size_t i = 0; i < words.size(); ++i) lines[i] = numbers(words[i]);

  BleuCounts counts;
  match(lines[0], std::span(lines).subspan(1), counts.correct);
  for (size_t n = 0; n < kBleuOrder; ++n) counts.total[n] = ngram_count(lines[0].size(), n + 1);
  counts.hyp_len = static_cast<int64_t>(lines[0].size());
  int64_t nearest = INT64_MAX;
  for (size_t r = 1; r < lines.size(); ++r) {
    const auto length = static_cast<int64_t>(lines[r].size()), distance = std::abs(counts.hyp_len - length);
    if (distance < nearest || (distance == nearest && length < counts.ref_len)) counts.ref_len = length;
    nearest = std::min(nearest, distance);
  }
  return counts;
}

BleuScore bleu_score(const BleuCounts& counts, const BleuOptions& options) {
  const auto hyp_len = static_cast<double>(counts.hyp_len), ref_len = static_cast<double>(counts.ref_len);
  BleuScore y;
  if (ref_len > 0) y.ratio = hyp_len / ref_len;
  if (hyp_len < ref_len) y.brevity_penalty = hyp_len > 0 ? std::exp(1 - ref_len / hyp_len) : 0;
  if (std::all_of(counts.correct.begin(), counts.correct.end(), [](int64_t n) { return n == 0; })) return y;

  double halvings = 1;
  size_t orders = options.effective_order ? 0 : kBleuOrder;
  for (size_t n = 0; n < kBleuOrder && counts.total[n] > 0; ++n) {
    if (options.effective_order) orders = n + 1;
    const auto correct = static_cast<double>(counts.correct[n]), total = static_cast<double>(counts.total[n]);
    if (counts.correct[n] == 0) halvings *= 2;
    y.precisions[n] = counts.correct[n] == 0 ? 100 / (halvings * total) : 100 * correct / total;
  }
  double logs = 0;
  for (size_t n = 0; n < orders; ++n) logs += y.precisions[n] > 0 ? std::log(y.precisions[n]) : -9999999999.0;
  y.score = y.brevity_penalty * std::exp(logs / static_cast<double>(orders));
  return y;
}

std::string bleu_details(const BleuCounts& counts, const BleuScore& score) {
  const auto& p = score.precisions;
  return fmt::format("{:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
                     p[0], p[1], p[2], p[3], score.brevity_penalty, score.ratio, counts.hyp_len,
                     counts.ref_len);
}

std::string bleu_signature(size_t references, const BleuOptions& options) {
  return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:exp|version:{}", references,
                     options.lowercase ? "lc" : "mixed", options.effective_order ? "yes" : "no",
                     options.tokenize, kSignatureVersion);
}

double bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
            const BleuOptions& options) {
  const auto count = [&](std::string_view hypothesis, std::string_view reference) {
    return bleu_counts(hypothesis, {&reference, 1}, options);
  };
  return bleu_score(sum_pairs<BleuCounts>("bleu", hypotheses, references, count), options).score;
}

}  // namespace fovea::metrics
