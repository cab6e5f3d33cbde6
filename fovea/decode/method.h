// The ways to search, and what they have in common. search() of search.h picks one by its options.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/decode/search.h"

namespace fovea::decode {

// The most words that the target of a source of `length` may have, <eos> among them.
inline int64_t most_words(int64_t length, const SearchOptions& options) {
  return static_cast<int64_t>(
             std::ceil(static_cast<double>(options.max_length_factor) * static_cast<double>(length))) +
         10;
}

// Sources and their numbers, as every way to search gets them: checked, and at least one.
struct Sources {
  const data::SourceBatch& batch;
  std::span<const int64_t> lines;
  int64_t longest_target = 0;  // what the model can write, <eos> not counted; 0: any number
  data::SpecialIds ids = {};

  int64_t size() const { return batch.ids.dim(0); }
  int64_t length(int64_t b) const { return batch.lengths.data<int32_t>()[b]; }  // with <eos>
  // The same of sentence b, and no more than the model can write.
  int64_t most_words(int64_t b, const SearchOptions& options) const {
    const int64_t most = options.max_words > 0 ? options.max_words : decode::most_words(length(b), options);
    return longest_target > 0 ? std::min(most, longest_target + 1) : most;
  }
};

std::vector<NBest> greedy(models::Seq2Seq& model, const Sources& sources, const SearchOptions& options);
std::vector<NBest> beam(models::Seq2Seq& model, const Sources& sources, const SearchOptions& options);
// The same from prefixes that are already begun, one a sentence.
std::vector<NBest> beam(std::unique_ptr<models::Decoding> decoding, const Sources& sources,
                        const SearchOptions& options);
std::vector<NBest> sample(models::Seq2Seq& model, const Sources& sources, const SearchOptions& options);

inline double normalized(double log_prob, int64_t length, const SearchOptions& options) {
  return log_prob / std::pow(static_cast<double>(length), static_cast<double>(options.normalize));
}

// Words that nobody says: <pad> and <sos>, <unk> unless it is allowed, and <eos> while there are fewer words than min_words asks for.
class NeverSaid {
 public:
  // `words`: how many the target has so far.
  NeverSaid(const data::SpecialIds& ids, const SearchOptions& options, int64_t words);
  operator std::span<const int32_t>() const { return {ids_.data(), count_}; }  // ascending

 private:
  std::array<int32_t, 4> ids_{};
  size_t count_ = 0;
};

// Finished sentences stay in the batch, and their numbers are thrown away, until a quarter of it is finished:
// then those that go on are gathered, which costs a copy of all they need.
inline bool worth_gathering(size_t going_on, int64_t batch) {
  return 4 * static_cast<int64_t>(going_on) <= 3 * batch;
}

[[noreturn]] void fail_without_numbers(int64_t line);

// Weights of one step, [B, K, H, S], of which rows are kept for a sentence's own S.
class StepLook {
 public:
  explicit StepLook(const Tensor& look) : look_(look) {}

  bool defined() const { return look_.defined(); }
  int64_t heads() const { return look_.dim(2); }
  // out[H, length] = weights of prefix k of sentence b.
  void copy(int64_t b, int64_t k, int64_t length, float* out) const;

 private:
  const Tensor& look_;
};

// Rows of steps, each [H, S], as [H, T, S]; row(t) is the t-th.
template <typename Row>
Tensor join_steps(int64_t heads, int64_t steps, int64_t length, Row&& row) {
  Tensor look = Tensor::empty({heads, steps, length});
  for (int64_t t = 0; t < steps; ++t)
    for (int64_t h = 0; h < heads; ++h)
      std::copy_n(row(t) + h * length, length, look.data<float>() + (h * steps + t) * length);
  return look;
}

}  // namespace fovea::decode
