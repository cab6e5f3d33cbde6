#include "fovea/metrics/chrf.h"

#include <fmt/format.h>

#include <vector>

#include "fovea/base/utf8.h"
#include "fovea/metrics/bleu.h"
#include "fovea/metrics/lowercase.h"
#include "fovea/metrics/ngrams.h"
#include "fovea/metrics/sum_lines.h"
#include "fovea/metrics/words.h"

namespace fovea::metrics {
namespace {

constexpr double kBetaSquared = 4;

std::vector<uint32_t> characters(std::string_view line) {
  std::vector<uint32_t> codes;
  codes.reserve(line.size());
  for_each_character(line, [&](std::string_view, uint32_t code) {
    if (!is_space(code)) codes.push_back(code);
  });
  return codes;
}

bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// Words with one sign of punctuation taken off: the last character, or else the first.
std::vector<std::string_view> plain_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word : split_words(line)) {
    const bool single = first_character(word).bytes == word.size();
    if (!single && is_punctuation(word.back())) {
      words.insert(words.end(), {word.substr(0, word.size() - 1), word.substr(word.size() - 1)});
    } else if (!single && is_punctuation(word.front())) {
      words.insert(words.end(), {word.substr(0, 1), word.substr(1)});
    } else {
      words.push_back(word);
    }
  }
  return words;
}

// Fills the counts of the orders from `first` on, one for each of `matches`.
void fill(ChrfCounts& counts, size_t first, size_t hyp_len, size_t ref_len,
          std::span<const int64_t> matches) {
  for (size_t n = 1; n <= matches.size(); ++n) {
    counts.ref[first + n - 1] = ngram_count(ref_len, n);
    // An order that the reference does not have does not count against the hypothesis.
    counts.hyp[first + n - 1] = ref_len < n ? 0 : ngram_count(hyp_len, n);
    counts.match[first + n - 1] = matches[n - 1];
  }
}

ChrfCounts counts_of_pair(std::string_view hypothesis, std::string_view reference, bool with_words) {
  thread_local NgramMatcher match;
  thread_local WordNumbers numbers;
  ChrfCounts counts;
  std::array<int64_t, kChrfCharacters> matches;
  {
    const std::vector<uint32_t> hyp = characters(hypothesis), ref = characters(reference);
    match(hyp, {&ref, 1}, matches);
    fill(counts, 0, hyp.size(), ref.size(), matches);
  }
  if (with_words) {
    const auto hyp_words = plain_words(hypothesis), ref_words = plain_words(reference);
    numbers.clear(hyp_words.size() + ref_words.size());
    const std::vector<uint32_t> hyp = numbers(hyp_words), ref = numbers(ref_words);
    const auto word_matches = std::span(matches).first(kChrfWords);
    match(hyp, {&ref, 1}, word_matches);
    fill(counts, kChrfCharacters, hyp.size(), ref.size(), word_matches);
  }
  return counts;
}

}  // namespace

ChrfCounts& ChrfCounts::operator+=(const ChrfCounts& other) {
  for (size_t n = 0; n < kChrfOrders; ++n) {
    hyp[n] += other.hyp[n];
    ref[n] += other.ref[n];
    match[n] += other.match[n];
  }
  return *this;
}

ChrfCounts chrf_counts(std::string_view hypothesis, std::span<const std::string_view> references,
                       const ChrfOptions& options) {
  std::string small;
  if (options.lowercase) hypothesis = small = lowercase(hypothesis);
  ChrfCounts best;
  double best_score = -1;
  for (std::string_view reference : references) {
    const ChrfCounts counts = options.lowercase
                                  ? counts_of_pair(hypothesis, lowercase(reference), options.words)
                                  : counts_of_pair(hypothesis, reference, options.words);
    const double score = chrf_score(counts);
    if (score > best_score) {
      best_score = score;
      best = counts;
    }
  }
  return best;
}

double chrf_score(const ChrfCounts& counts) {
  double precision = 0, recall = 0, orders = 0;
  for (size_t n = 0; n < kChrfOrders; ++n) {
    if (counts.hyp[n] == 0 || counts.ref[n] == 0) continue;
    const auto match = static_cast<double>(counts.match[n]);
    precision += match / static_cast<double>(counts.hyp[n]);
    recall += match / static_cast<double>(counts.ref[n]);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  return 100 * ((1 + kBetaSquared) * precision * recall / (kBetaSquared * precision + recall));
}

std::string chrf_signature(size_t references, const ChrfOptions& options) {
  return fmt::format("nrefs:{}|case:{}|eff:yes|nc:{}|nw:{}|space:no|version:{}", references,
                     options.lowercase ? "lc" : "mixed", kChrfCharacters, options.words ? kChrfWords : 0,
                     kSignatureVersion);
}

double chrf(std::span<const std::string> hypotheses, std::span<const std::string> references,
            const ChrfOptions& options) {
  const auto count = [&](std::string_view hypothesis, std::string_view reference) {
    return chrf_counts(hypothesis, {&reference, 1}, options);
  };
  return chrf_score(sum_pairs<ChrfCounts>("chrf", hypotheses, references, count));
}

}  // namespace fovea::metrics
