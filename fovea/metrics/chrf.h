// chrF (Popovic, 2015) and chrF++ (2017) as sacreBLEU 2.x computes them: over a corpus, n-grams of characters
// without white space for n = 1 to 6, for chrF++ also of words for n = 1 and 2, beta 2.
//
//   P, R = mean over the orders that both sides have of match_n / hyp_n and match_n / ref_n
//   chrF = 100 (1 + beta^2) P R / (beta^2 P + R)
//
// Of several references a line takes the one with the best score. Counts add up over lines.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fovea::metrics {

inline constexpr size_t kChrfCharacters = 6, kChrfWords = 2, kChrfOrders = kChrfCharacters + kChrfWords;

struct ChrfOptions {
  bool words = false;  // chrF++
  bool lowercase = false;
};

// By order: 6 of characters, then 2 of words, which stay 0 for chrF.
struct ChrfCounts {
  std::array<int64_t, kChrfOrders> hyp{}, ref{}, match{};

  ChrfCounts& operator+=(const ChrfCounts& other);
};

// Of one line. A byte that is not UTF-8 is a character.
ChrfCounts chrf_counts(std::string_view hypothesis, std::span<const std::string_view> references,
                       const ChrfOptions& options = {});
// 0 to 100.
double chrf_score(const ChrfCounts& counts);

// "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:...".
std::string chrf_signature(size_t references, const ChrfOptions& options = {});

// Of a corpus with one reference for each line. Throws where the numbers of lines differ.
double chrf(std::span<const std::string> hypotheses, std::span<const std::string> references,
            const ChrfOptions& options = {});

}  // namespace fovea::metrics
