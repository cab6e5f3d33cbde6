// Pairs as ids, in one flat array, ready for batches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fovea/data/pair.h"
#include "fovea/data/tokenizer.h"

namespace fovea::data {

// What was met, and what was left out of it. A pair counts once, under the first that holds.
struct DatasetReport {
  int64_t pairs = 0;         // met
  int64_t empty_source = 0;  // left out: no ids on the source side
  int64_t empty_target = 0;  // left out: no ids on the target side
  int64_t too_long = 0;      // left out: more than max_length ids on one of the sides
  int64_t max_length = 0;

  int64_t kept() const { return pairs - empty_source - empty_target - too_long; }
  // "29,000 pairs; left out: 2 without source, 1 without target, 12 longer than 100 tokens"
  std::string summary() const;
};

class Dataset {
 public:
  // Encodes on all threads; the result does not depend on their number. A pair with more than `max_length` ids on a
  // side, <eos> not counted, is left out (0: none is), and so is a pair with an empty side; report() says how many.
  // Throws when nothing is left, or when a link names a word that its line does not have.
  Dataset(std::span<const Pair> pairs, const Tokenizer& source, const Tokenizer& target, int64_t max_length);

  int64_t size() const { return static_cast<int64_t>(lines_.size()); }
  // Without <sos> and <eos>, at least one id.
  std::span<const int32_t> source(int64_t i) const { return part(ids_, 2 * i); }
  std::span<const int32_t> target(int64_t i) const { return part(ids_, 2 * i + 1); }
  // Which of the pairs it was.
  int64_t line(int64_t i) const { return lines_[static_cast<size_t>(i)]; }

  // Some pair has links. Then there are also words_of() of both sides; otherwise these are empty.
  bool aligned() const { return !links_.empty(); }
  std::span<const Link> links(int64_t i) const;
  std::span<const int32_t> source_words(int64_t i) const { return part(words_, 2 * i); }
  std::span<const int32_t> target_words(int64_t i) const { return part(words_, 2 * i + 1); }

  // Of the tokenizers.
  const SpecialIds& source_ids() const { return source_ids_; }
  const SpecialIds& target_ids() const { return target_ids_; }

  const DatasetReport& report() const { return report_; }
  int64_t target_tokens() const { return target_tokens_; }
  // A hash of everything above but the report: a resumed run knows by it that its data is the same.
  uint64_t fingerprint() const;

 private:
  std::span<const int32_t> part(const std::vector<int32_t>& values, int64_t k) const;

  std::vector<int32_t> ids_;      // source of pair 0, target of pair 0, source of pair 1, ...
  std::vector<int64_t> offsets_;  // part k is [offsets_[k], offsets_[k + 1])
  std::vector<int64_t> lines_;
  std::vector<int32_t> words_;  // as ids_, where there are links
  std::vector<Link> links_;
  std::vector<int64_t> link_offsets_;
  int64_t target_tokens_ = 0;
  SpecialIds source_ids_, target_ids_;
  DatasetReport report_;
};

}  // namespace fovea::data
