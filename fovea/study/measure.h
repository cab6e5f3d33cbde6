// What a model makes of pairs that it has never seen: translations, and where it looks.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fovea/data/pair.h"
#include "fovea/metrics/alignment_error.h"
#include "fovea/metrics/bleu.h"
#include "fovea/metrics/exact.h"
#include "fovea/run/loaded.h"

namespace fovea::study {

// Counts add up: those of any set of lines are the sum of theirs.
struct Counts {
  int64_t source_words = 0;
  metrics::BleuCounts bleu;
  metrics::ExactCounts exact;
  metrics::AlignmentCounts links;  // against the gold alignment; none where a pair has none

  Counts& operator+=(const Counts& other);
};

// In percent.
struct Quality {
  int64_t lines = 0;
  double bleu = 0, exact = 0;
  std::optional<double> alignment_error;  // where there is a gold alignment, and a model that looks
};
Quality quality_of(const Counts& counts);

// For each pair its counts: of the greedy translation of the source, and, where it has a gold alignment, of the links of the
// reference, whose words are given to the model one by one, each linked to the source word that it looks at most.
// Sources are cut after `longest` tokens, as long as any that the model has learned from; a pair whose source is longer has no links.
// Nothing where `stop`, asked before each step, says so.
std::optional<std::vector<Counts>> measure(const run::LoadedDecoder& model, std::span<const data::Pair> pairs,
                                           int64_t longest, const std::function<bool()>& stop = {});

}  // namespace fovea::study
