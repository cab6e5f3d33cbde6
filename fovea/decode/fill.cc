#include "fovea/decode/fill.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "fovea/base/error.h"
#include "fovea/data/blanks.h"
#include "fovea/decode/read_lines.h"
#include "fovea/kernels/softmax.h"

namespace fovea::decode {
namespace {

// The most probable ids of a row of logits, with their probabilities.
std::vector<Guess> most_probable(std::span<const float> logits, int64_t count) {
  std::vector<float> p(logits.size());
  kernels::softmax_rows(logits.data(), p.data(), 1, static_cast<int64_t>(p.size()));
  std::vector<int32_t> ids(p.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto end = ids.begin() + std::min<std::ptrdiff_t>(count, static_cast<std::ptrdiff_t>(ids.size()));
  std::partial_sort(ids.begin(), end, ids.end(), [&](int32_t a, int32_t b) {
    const float x = p[static_cast<size_t>(a)], y = p[static_cast<size_t>(b)];
    return x != y ? x > y : a < b;
  });
  std::vector<Guess> best;
  for (auto id = ids.begin(); id != end; ++id) best.push_back({*id, p[static_cast<size_t>(*id)], {}, {}});
  return best;
}

// The text of ids in which other gaps stay.
std::string text_with_gaps(const data::Tokenizer& tokenizer, const std::vector<int32_t>& ids, int32_t mask) {
  std::string text;
  for (auto begin = ids.begin();;) {
    const auto end = std::find(begin, ids.end(), mask);
    text += tokenizer.decode(std::vector<int32_t>(begin, end));
    if (end == ids.end()) return text;
    text += (text.empty() ? "" : " ") + tokenizer.piece(mask) + (end + 1 == ids.end() ? "" : " ");
    begin = end + 1;
  }
}

}  // namespace

void check_fills(const run::LoadedEncoder& model, std::string_view where) {
  check(model.encoder->info().head == run::Head::kTokens, "fill",
        "{} has no head for masked tokens: it was not trained to fill gaps, or that part was not saved",
        where);
  check(model.tokenizer->special_ids().mask >= 0, "fill", "{}: its tokenizer has no mask token", where);
}

std::vector<Gap> fill_gaps(const run::LoadedEncoder& model, std::string_view line, int64_t count,
                           int64_t number) {
  check(count >= 1, "fill", "{} tokens for each gap: expected 1 or more", count);
  if (data::count_words(line) == 0) return {};
  const data::Tokenizer& tokenizer = *model.tokenizer;
  const int32_t mask = tokenizer.special_ids().mask;
  const data::Reading reading = readable(model, line, {}, false, {}, "fill", number);
  std::vector<int32_t> places;
  for (size_t i = 0; i < reading.ids.size(); ++i)
    if (reading.ids[i] == mask) places.push_back(static_cast<int32_t>(i));
  check(!places.empty(), "fill", "line {} has no gap: write {} where a word is missing", number,
        tokenizer.piece(mask));
  const run::Text text{reading.ids, reading.segments};
  const Tensor logits = model.encoder->logits({&text, 1}, places);
  check_numbers(logits, "fill", number);
  const auto V = static_cast<size_t>(logits.dim(1)),
             known = std::min(V, static_cast<size_t>(tokenizer.size()));
  std::vector<Gap> gaps;
  for (size_t g = 0; g < places.size(); ++g) {
    Gap& gap = gaps.emplace_back();
    gap.position = places[g];
    gap.guesses = most_probable(logits.span<float>().subspan(g * V, known), count);
    for (Guess& guess : gap.guesses) {
      std::vector<int32_t> ids(reading.ids.begin() + 1, reading.ids.end() - 1);
      ids[static_cast<size_t>(gap.position) - 1] = guess.id;
      guess.token = tokenizer.piece(guess.id);
      guess.text = text_with_gaps(tokenizer, ids, mask);
    }
  }
  return gaps;
}

}  // namespace fovea::decode
