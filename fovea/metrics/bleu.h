// BLEU (Papineni et al., 2002) as sacreBLEU 2.x computes it: over a corpus, up to 4-grams, exponential smoothing.
//
//   p_n = 100 * correct_n / total_n, clipped matches over all lines; where correct_n is 0: 100 / (2^k total_n) for
//         the k-th such n (if anything matched at all)
//   BP  = 1 where the hypotheses are at least as long as the references, else exp(1 - ref_len / hyp_len)
//   BLEU = BP * exp(mean of log p_1 .. log p_4)
//
// With several references a match is clipped by the one that has the n-gram most often, and the length is that of
// the reference nearest to the hypothesis, the shorter one of two. Counts add up over lines: the score of any set
// of lines comes from the sum of their counts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fovea::metrics {

// The version of sacreBLEU whose numbers Fovea is tested against, marked as not its own: the last part of a
// signature.
inline constexpr std::string_view kSignatureVersion = "2.6.0-fovea";

inline constexpr size_t kBleuOrder = 4;

struct BleuOptions {
  std::string_view tokenize = "13a";  // a name in bleu_tokenizers.h
  bool lowercase = false;
  // Only the orders that the hypothesis is long enough for: for the score of a single line.
  bool effective_order = false;
};

struct BleuCounts {
  std::array<int64_t, kBleuOrder> correct{}, total{};
  int64_t hyp_len = 0, ref_len = 0;

  BleuCounts& operator+=(const BleuCounts& other);
};

struct BleuScore {
  double score = 0;  // 0 to 100, as are the precisions
  std::array<double, kBleuOrder> precisions{};
  double brevity_penalty = 1, ratio = 0;  // ratio: hyp_len / ref_len
};

// Of one line. Text that is no UTF-8 is taken byte by byte.
BleuCounts bleu_counts(std::string_view hypothesis, std::span<const std::string_view> references,
                       const BleuOptions& options = {});
BleuScore bleu_score(const BleuCounts& counts, const BleuOptions& options = {});

// What sacreBLEU prints after the score: "61.5/33.3/18.2/10.0 (BP = 1.000 ratio = 1.083 hyp_len = 13 ref_len = 12)".
std::string bleu_details(const BleuCounts& counts, const BleuScore& score);
// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:...".
std::string bleu_signature(size_t references, const BleuOptions& options = {});

// Of a corpus with one reference for each line. Throws where the numbers of lines differ.
double bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
            const BleuOptions& options = {});

}  // namespace fovea::metrics
