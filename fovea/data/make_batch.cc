#include "fovea/data/make_batch.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/error.h"

namespace fovea::data {
namespace {

// Nobody looks at padding: where there is no id for it, any will do.
int32_t padding(const SpecialIds& special) { return std::max(0, special.pad); }

template <typename Row>
int64_t longest_of(int64_t rows, Row&& row) {
  int64_t longest = 0;
  for (int64_t b = 0; b < rows; ++b) longest = std::max(longest, static_cast<int64_t>(row(b).size()));
  return longest;
}

template <typename Row>
SourceBatch fill_source(int64_t rows, const SpecialIds& special, Row&& row) {
  const int64_t S = longest_of(rows, row) + 1;
  SourceBatch batch{Tensor::empty({rows, S}, DType::kI32), Tensor::empty({rows}, DType::kI32)};
  auto* ids = batch.ids.data<int32_t>();
  auto* lengths = batch.lengths.data<int32_t>();
  for (int64_t b = 0; b < rows; ++b) {
    const std::span<const int32_t> words = row(b);
    int32_t* out = std::copy(words.begin(), words.end(), ids + b * S);
    *out++ = special.eos;
    std::fill(out, ids + (b + 1) * S, padding(special));
    lengths[b] = static_cast<int32_t>(words.size()) + 1;
  }
  return batch;
}

template <typename Row>
void fill_target(int64_t rows, const SpecialIds& special, Row&& row, Batch& batch) {
  const int64_t T = longest_of(rows, row) + 1;
  batch.target_in = Tensor::empty({rows, T}, DType::kI32);
  batch.target_out = Tensor::empty({rows, T}, DType::kI32);
  batch.target_lengths = Tensor::empty({rows}, DType::kI32);
  auto* in = batch.target_in.data<int32_t>();
  auto* out = batch.target_out.data<int32_t>();
  auto* lengths = batch.target_lengths.data<int32_t>();
  for (int64_t b = 0; b < rows; ++b) {
    const std::span<const int32_t> words = row(b);
    const auto length = static_cast<int64_t>(words.size()) + 1;
    in[b * T] = special.sos;
    std::copy(words.begin(), words.end(), in + b * T + 1);
    std::fill(in + b * T + length, in + (b + 1) * T, padding(special));
    std::copy(words.begin(), words.end(), out + b * T);
    out[b * T + length - 1] = special.eos;
    std::fill(out + b * T + length, out + (b + 1) * T, kIgnore);
    lengths[b] = static_cast<int32_t>(length);
    batch.target_tokens += length;
  }
}

// a [T, S] of one pair, zeros before. Words are consecutive ids, so a link is a rectangle.
void fill_alignment(const Dataset& data, int32_t pair, int64_t S, float* a) {
  const auto sources = data.source_words(pair), targets = data.target_words(pair);
  const auto rows = static_cast<int64_t>(targets.size());
  for (const Link& link : data.links(pair)) {
    const auto [s0, s1] = std::equal_range(sources.begin(), sources.end(), link.source);
    const auto [t0, t1] = std::equal_range(targets.begin(), targets.end(), link.target);
    for (auto t = t0; t < t1; ++t)
      std::fill(a + (t - targets.begin()) * S + (s0 - sources.begin()),
                a + (t - targets.begin()) * S + (s1 - sources.begin()), 1.0f);
  }
  for (int64_t t = 0; t < rows; ++t) {
    float* row = a + t * S;
    const float links = std::accumulate(row, row + S, 0.0f);
    if (links > 0) std::transform(row, row + S, row, [&](float x) { return x / links; });
  }
}

}  // namespace

Batch make_batch(const Dataset& data, std::span<const int32_t> pairs) {
  const auto B = static_cast<int64_t>(pairs.size());
  const auto pair = [&](int64_t b) { return pairs[static_cast<size_t>(b)]; };
  Batch batch;
  batch.source = fill_source(B, data.source_ids(), [&](int64_t b) { return data.source(pair(b)); });
  fill_target(
      B, data.target_ids(), [&](int64_t b) { return data.target(pair(b)); }, batch);
  batch.lines.resize(pairs.size());
  std::transform(pairs.begin(), pairs.end(), batch.lines.begin(), [&](int32_t i) { return data.line(i); });
  if (data.aligned()) {
    const int64_t T = batch.target_in.dim(1), S = batch.source.ids.dim(1);
    batch.alignment = Tensor::zeros({B, T, S});
    for (int64_t b = 0; b < B; ++b)
      fill_alignment(data, pair(b), S, batch.alignment.data<float>() + b * T * S);
  }
  return batch;
}

Batch make_batch(std::span<const std::vector<int32_t>> sources, std::span<const std::vector<int32_t>> targets,
                 const SpecialIds& source_ids, const SpecialIds& target_ids) {
  check(sources.size() == targets.size(), "data", "{} sources and {} targets: they must be pairs",
        sources.size(), targets.size());
  Batch batch;
  batch.source = source_batch(sources, source_ids);
  fill_target(
      static_cast<int64_t>(targets.size()), target_ids,
      [&](int64_t b) { return std::span<const int32_t>(targets[static_cast<size_t>(b)]); }, batch);
  batch.lines.resize(sources.size());
  std::iota(batch.lines.begin(), batch.lines.end(), 0);
  return batch;
}

SourceBatch source_batch(std::span<const std::vector<int32_t>> sources, const SpecialIds& ids) {
  return fill_source(static_cast<int64_t>(sources.size()), ids,
                     [&](int64_t b) { return std::span<const int32_t>(sources[static_cast<size_t>(b)]); });
}

}  // namespace fovea::data
