#include "fovea/decode/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/data/length_batches.h"
#include "fovea/data/make_batch.h"
#include "fovea/data/tokenizer.h"
#include "fovea/decode/method.h"

namespace fovea::decode {
namespace {

// A batch has at most so many places for source words, and numbers in its logits (or one sentence), so that long sentences and
// wide beams do not need memory without bound.
constexpr int64_t kMostPlaces = 1 << 16, kMostLogits = 1 << 26;

}  // namespace

void check_options(const SearchOptions& o, std::string_view who) {
  constexpr int64_t kMostBeams = 10'000;
  check(o.beam_size >= 1 && o.beam_size <= kMostBeams, who, "a beam of {}: expected 1 to {}", o.beam_size,
        kMostBeams);
  check(o.n_best >= 1 && o.n_best <= o.beam_size, who,
        "the best {} of a beam of {}: expected 1 to the beam's size", o.n_best, o.beam_size);
  check(o.normalize >= 0 && std::isfinite(o.normalize), who, "normalize {}: expected 0 or more", o.normalize);
  check(o.max_length_factor >= 0 && o.max_length_factor <= 1000, who,
        "a target of {} times the source's length: expected 0 to 1000", o.max_length_factor);
  check(o.min_words >= 0 && o.max_words >= 0 && (o.max_words == 0 || o.min_words <= o.max_words), who,
        "targets of {} to {} words: expected 0 or more, the first not above the second", o.min_words,
        o.max_words);
  if (!o.sample) return;
  check(o.beam_size == 1, who, "a beam of {} with sampling: words are drawn for one prefix, a beam of 1",
        o.beam_size);
  check_sampling(o.sampling, who);
}

NeverSaid::NeverSaid(const data::SpecialIds& ids, const SearchOptions& options, int64_t words) {
  const auto add = [&](int32_t id) {
    if (id >= 0 && (id != ids.eos || words < options.min_words) &&
        std::find(ids_.begin(), ids_.begin() + count_, id) == ids_.begin() + count_)
      ids_[count_++] = id;
  };
  add(ids.pad);
  add(ids.sos);
  if (!options.allow_unk) add(ids.unk);
  if (words < options.min_words) add(ids.eos);
  std::sort(ids_.begin(), ids_.begin() + count_);
}

void fail_without_numbers(int64_t line) {
  fail("decode",
       "line {}: the model gives no probabilities, but NaN or infinity; its weights are damaged, or training "
       "went "
       "wrong",
       line + 1);
}

void StepLook::copy(int64_t b, int64_t k, int64_t length, float* out) const {
  const int64_t heads = look_.dim(2), width = look_.dim(3);
  const float* from = look_.data<float>() + (b * look_.dim(1) + k) * heads * width;
  for (int64_t h = 0; h < heads; ++h) std::copy_n(from + h * width, length, out + h * length);
}

std::vector<NBest> search(models::Seq2Seq& model, const data::SourceBatch& source,
                          const SearchOptions& options, std::span<const int64_t> lines) {
  check_options(options, "decode");
  std::vector<int64_t> numbers(lines.begin(), lines.end());
  const int64_t count = source.ids.dim(0);
  if (lines.empty()) {
    numbers.resize(static_cast<size_t>(count));
    std::iota(numbers.begin(), numbers.end(), int64_t{0});
  }
  check(static_cast<int64_t>(numbers.size()) == count, "decode", "{} line numbers for {} sources",
        numbers.size(), count);
  if (count == 0) return {};
  const Sources sources{source, numbers, model.longest_target(), model.special_ids()};
  if (options.sample) return sample(model, sources, options);
  return options.beam_size == 1 ? greedy(model, sources, options) : beam(model, sources, options);
}

void search_all(models::Seq2Seq& model, std::span<const std::vector<int32_t>> sources,
                const SearchOptions& options, int64_t batch, int64_t first_line,
                const std::function<void(size_t, NBest)>& found) {
  check_options(options, "decode");
  check(batch >= 1, "decode", "batches of {}: expected 1 or more", batch);
  Hypothesis nothing;
  nothing.ended = true;
  std::vector<size_t> given;  // sources that are not empty
  std::vector<int64_t> lengths;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].empty()) {
      found(i, NBest{nothing});
      continue;
    }
    given.push_back(i);
    lengths.push_back(static_cast<int64_t>(sources[i].size()) + 1);
  }
  const int64_t rows =
      std::min(batch, kMostLogits / std::max<int64_t>(1, options.beam_size * model.target_vocab()));
  for (const std::vector<size_t>& which :
       data::length_batches(lengths, {.rows = rows, .places = kMostPlaces})) {
    std::vector<int64_t> lines;
    std::vector<std::vector<int32_t>> ids;
    for (const size_t i : which) {
      lines.push_back(first_line + static_cast<int64_t>(given[i]));
      ids.push_back(sources[given[i]]);
    }
    std::vector<NBest> best = search(model, data::source_batch(ids, model.special_ids()), options, lines);
    for (size_t i = 0; i < which.size(); ++i) found(given[which[i]], std::move(best[i]));
  }
}

}  // namespace fovea::decode
