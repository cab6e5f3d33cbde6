#include "fovea/data/dataset.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/parallel.h"
#include "fovea/data/alignment.h"
#include "fovea/data/blanks.h"

namespace fovea::data {
namespace {

constexpr int64_t kChunk = 65'536,
                  kGrain = 256;  // pairs encoded before they are packed; by one thread at a time

struct Encoded {
  std::vector<int32_t> source, target, source_words, target_words;
};

class Hash {
 public:
  template <typename T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  uint64_t value() const { return hash_; }

 private:
  void add(const Link& link) {
    add(static_cast<uint64_t>(static_cast<uint32_t>(link.source)) << 32 | static_cast<uint32_t>(link.target));
    add(static_cast<uint64_t>(link.sure));
  }
  // One round of splitmix64's finaliser for each value: every bit reaches every other.
  void add(uint64_t value) {
    hash_ = (hash_ ^ value) + 0x9E3779B97F4A7C15;
    hash_ = (hash_ ^ hash_ >> 30) * 0xBF58476D1CE4E5B9;
    hash_ = (hash_ ^ hash_ >> 27) * 0x94D049BB133111EB;
    hash_ ^= hash_ >> 31;
  }
  uint64_t hash_ = 0;
};

}  // namespace

std::string DatasetReport::summary() const {
  std::vector<std::string> parts;
  if (empty_source > 0) parts.push_back(fmt::format("{} without source", grouped(empty_source)));
  if (empty_target > 0) parts.push_back(fmt::format("{} without target", grouped(empty_target)));
  if (too_long > 0)
    parts.push_back(fmt::format("{} longer than {} tokens", grouped(too_long), grouped(max_length)));
  return fmt::format("{} pair{}{}{}", grouped(pairs), pairs == 1 ? "" : "s",
                     parts.empty() ? "" : "; left out: ", fmt::join(parts, ", "));
}

Dataset::Dataset(std::span<const Pair> pairs, const Tokenizer& source, const Tokenizer& target,
                 int64_t max_length)
    : source_ids_(source.special_ids()), target_ids_(target.special_ids()) {
  const bool aligned =
      std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) { return !pair.links.empty(); });
  const auto count = static_cast<int64_t>(pairs.size());
  report_.pairs = count;
  report_.max_length = max_length;
  offsets_.push_back(0);
  if (aligned) link_offsets_.push_back(0);
  std::vector<Encoded> chunk;
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    const int64_t rows = std::min(kChunk, count - begin);
    chunk.assign(static_cast<size_t>(rows), {});
    parallel_ranges(rows, kGrain, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        const Pair& pair = pairs[static_cast<size_t>(begin + i)];
        Encoded& row = chunk[static_cast<size_t>(i)];
        if (const Link* link = find_misfit(pair))
          fail("data", "pair {}: the alignment has {}-{}, but the lines have {} and {} words",
               grouped(begin + i + 1), link->source, link->target, count_words(pair.source),
               count_words(pair.target));
        row.source = source.encode(pair.source);
        row.target = target.encode(pair.target);
        if (aligned) {
          row.source_words = source.words_of(pair.source);
          row.target_words = target.words_of(pair.target);
        }
      }
    });
    for (int64_t i = 0; i < rows; ++i) {
      const Pair& pair = pairs[static_cast<size_t>(begin + i)];
      const Encoded& row = chunk[static_cast<size_t>(i)];
      const auto longest = static_cast<int64_t>(std::max(row.source.size(), row.target.size()));
      if (row.source.empty()) {
        ++report_.empty_source;
      } else if (row.target.empty()) {
        ++report_.empty_target;
      } else if (max_length > 0 && longest > max_length) {
        ++report_.too_long;
      } else {
        for (const auto* ids : {&row.source, &row.target}) {
          ids_.insert(ids_.end(), ids->begin(), ids->end());
          offsets_.push_back(static_cast<int64_t>(ids_.size()));
        }
        target_tokens_ += static_cast<int64_t>(row.target.size()) + 1;
        lines_.push_back(begin + i);
        if (!aligned) continue;
        words_.insert(words_.end(), row.source_words.begin(), row.source_words.end());
        words_.insert(words_.end(), row.target_words.begin(), row.target_words.end());
        links_.insert(links_.end(), pair.links.begin(), pair.links.end());
        link_offsets_.push_back(static_cast<int64_t>(links_.size()));
      }
    }
  }
  check(size() > 0, "data", "{}: nothing is left to learn from", report_.summary());
  check(size() <= INT32_MAX, "data", "{} pairs: more than {} cannot be batched", grouped(size()), INT32_MAX);
}

std::span<const int32_t> Dataset::part(const std::vector<int32_t>& values, int64_t k) const {
  if (values.empty()) return {};
  const int64_t begin = offsets_[static_cast<size_t>(k)], end = offsets_[static_cast<size_t>(k) + 1];
  return std::span(values).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
}

std::span<const Link> Dataset::links(int64_t i) const {
  if (links_.empty()) return {};
  const int64_t begin = link_offsets_[static_cast<size_t>(i)],
                end = link_offsets_[static_cast<size_t>(i) + 1];
  return std::span(links_).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
}

uint64_t Dataset::fingerprint() const {
  Hash hash;
  hash.add(ids_);
  hash.add(offsets_);
  hash.add(lines_);
  hash.add(words_);
  hash.add(links_);
  hash.add(link_offsets_);
  return hash.value();
}

}  // namespace fovea::data
