#include "fovea/decode/classify.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/error.h"
#include "fovea/data/blanks.h"
#include "fovea/kernels/activations.h"
#include "fovea/kernels/softmax.h"

namespace fovea::decode {
namespace {

LabelValues values_of(const Tensor& logits, int64_t row, run::Labelling labelling) {
  const int64_t C = logits.dim(1);
  const float* from = logits.data<float>() + row * C;
  LabelValues labels{{from, from + C}};
  if (labelling == run::Labelling::kOne) kernels::softmax_rows(from, labels.values.data(), 1, C);
  if (labelling == run::Labelling::kEach)
    kernels::activate(kernels::Activation::kSigmoid, from, labels.values.data(), C);
  return labels;
}

// `row` is that of the line's first token, a special one; `length` counts all of its tokens.
std::vector<Classified::Word> words_of(const run::LoadedEncoder& model, std::string_view line,
                                       const Tensor& logits, int64_t row, int64_t length) {
  std::vector<std::string_view> texts;
  data::for_each_word(line, [&](std::string_view word) { texts.push_back(word); });
  const std::vector<int32_t> word_of = model.tokenizer->words_of(line);
  std::vector<Classified::Word> words;
  int32_t last = -1;
  for (size_t i = 0; i < word_of.size() && static_cast<int64_t>(i) + 2 < length; ++i) {
    if (word_of[i] == last || word_of[i] < 0) continue;
    last = word_of[i];
    words.push_back({texts[static_cast<size_t>(last)],
                     values_of(logits, row + 1 + static_cast<int64_t>(i), model.encoder->info().labelling)});
  }
  return words;
}

}  // namespace

size_t LabelValues::best() const {
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

std::vector<size_t> LabelValues::best(size_t count) const {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] > values[b]; });
  order.resize(std::min(count, order.size()));
  return order;
}

void check_classifies(const run::LoadedEncoder& model, std::string_view where) {
  const run::Head head = model.encoder->info().head;
  check(head == run::Head::kLabels || head == run::Head::kTokenLabels, "classify",
        "{} has no labels: train it with fovea train --model bert --task labels", where);
}

std::vector<Classified> classify_lines(const run::LoadedEncoder& model, std::span<const LineOrPair> lines,
                                       const ReadOptions& options) {
  const run::EncoderInfo& info = model.encoder->info();
  const bool of_words = info.head == run::Head::kTokenLabels;
  std::vector<data::Reading> readings;
  for (const LineOrPair& line : lines) {
    check(!of_words || !line.second, "classify", "this model labels the words of one sentence, not of two");
    readings.push_back(readable(model, line.first, line.second.value_or(""), line.second.has_value(), options,
                                "classify", options.first_line + static_cast<int64_t>(readings.size()) + 1));
  }
  std::vector<Classified> all(lines.size());
  for_each_batch(readings, options, [&](std::span<const size_t> which, std::span<const run::Text> texts) {
    const Tensor logits = model.encoder->logits(texts);
    int64_t row = 0;
    for (size_t i = 0; i < which.size(); ++i) {
      const auto length = static_cast<int64_t>(texts[i].ids.size()), rows = of_words ? length : 1;
      check_numbers(logits.slice(row, row + rows), "classify",
                    options.first_line + static_cast<int64_t>(which[i]) + 1);
      Classified& one = all[which[i]];
      if (of_words)
        one.words = words_of(model, lines[which[i]].first, logits, row, length);
      else
        one.line = values_of(logits, row, info.labelling);
      row += rows;
    }
  });
  return all;
}

}  // namespace fovea::decode
