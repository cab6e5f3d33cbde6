#include "fovea/decode/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "fovea/base/error.h"
#include "fovea/data/blanks.h"

namespace fovea::decode {
namespace {

// What each piece counts for: its word, or the place behind the last word for <eos>.
struct Places {
  Places(std::span<const int32_t> words, int64_t pieces) : of(words.begin(), words.end()) {
    check(static_cast<int64_t>(of.size()) <= pieces && pieces <= static_cast<int64_t>(of.size()) + 1,
          "alignment", "weights for {} tokens, and {} tokens in words", pieces, of.size());
    for (const int32_t word : of) count = std::max<int64_t>(count, word + 1);
    if (static_cast<int64_t>(of.size()) < pieces) of.push_back(static_cast<int32_t>(count++));
  }
  std::vector<int32_t> of;
  int64_t count = 0;
};

}  // namespace

std::vector<int32_t> words_of_ids(const data::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  const std::string text = tokenizer.decode(ids);
  const std::vector<int32_t> again = tokenizer.encode(text);
  if (std::equal(again.begin(), again.end(), ids.begin(), ids.end())) return tokenizer.words_of(text);
  // Pieces that encode() would not have chosen for this text: the words are counted as the text grows.
  const int32_t last = data::count_words(text) - 1;
  std::vector<int32_t> words;
  for (size_t n = 1; n <= ids.size(); ++n) {
    const std::string grown = tokenizer.decode(ids.first(n));
    const bool after_blank = grown.empty() || data::is_blank(grown.back());
    words.push_back(std::min(data::count_words(grown) - (after_blank ? 0 : 1), last));
  }
  return words;
}

Tensor align_words(const Tensor& weights, std::span<const int32_t> source, std::span<const int32_t> target) {
  const int64_t heads = weights.dim(0), rows = weights.dim(1), cols = weights.dim(2);
  const Places from(source, cols), to(target, rows);
  std::vector<double> sums(static_cast<size_t>(to.count * from.count)), pieces(static_cast<size_t>(to.count));
  const float* w = weights.data<float>();
  for (int64_t h = 0; h < heads; ++h)
    for (const int32_t i : to.of) {
      if (i >= 0) pieces[static_cast<size_t>(i)] += 1;
      for (const int32_t j : from.of) {
        if (i >= 0 && j >= 0) sums[static_cast<size_t>(i * from.count + j)] += static_cast<double>(*w);
        ++w;
      }
    }
  Tensor a = Tensor::zeros({to.count, from.count});
  for (size_t i = 0; i < pieces.size(); ++i)
    for (size_t at = i * static_cast<size_t>(from.count); at < (i + 1) * static_cast<size_t>(from.count);
         ++at)
      if (pieces[i] > 0) a.data<float>()[at] = static_cast<float>(sums[at] / pieces[i]);
  return a;
}

Tensor align_pieces(const Tensor& weights) {
  std::vector<int32_t> source(static_cast<size_t>(weights.dim(2))),
      target(static_cast<size_t>(weights.dim(1)));
  std::iota(source.begin(), source.end(), 0);
  std::iota(target.begin(), target.end(), 0);
  return align_words(weights, source, target);
}

std::vector<Link> hard_links(const Tensor& alignment, int64_t targets) {
  const int64_t cols = alignment.dim(1);
  std::vector<Link> links;
  for (int64_t i = 0; cols > 1 && i < std::min(targets, alignment.dim(0)); ++i) {
    const float* row = alignment.data<float>() + i * cols;
    const int64_t best = std::max_element(row, row + cols - 1) - row;
    links.push_back({static_cast<int32_t>(best), static_cast<int32_t>(i)});
  }
  std::stable_sort(links.begin(), links.end(),
                   [](const Link& a, const Link& b) { return a.source < b.source; });
  return links;
}

std::string format_soft(const Tensor& alignment) {
  std::string text;
  const float* w = alignment.data<float>();
  for (int64_t i = 0; i < alignment.dim(0); ++i)
    for (int64_t j = 0; j < alignment.dim(1); ++j)
      fmt::format_to(std::back_inserter(text), "{}{:.6g}", j > 0 ? "," : i > 0 ? " " : "", *w++);
  return text;
}

}  // namespace fovea::decode
