#include "fovea/decode/single.h"

#include "fovea/data/tokenizer.h"

namespace fovea::decode {
namespace {

// The sentence in a row of the batch.
struct Row {
  int64_t sentence;
  bool ended = false;
};

}  // namespace

std::vector<NBest> search_single(models::Seq2Seq& model, const Sources& sources, const SearchOptions& options,
                                 const Choose& choose) {
  const auto count = static_cast<size_t>(sources.size());
  std::vector<NBest> found(count, NBest(1));
  std::vector<std::vector<float>> looks(count);  // [T][H][S]
  int64_t heads = 0;

  std::vector<Row> rows;
  std::vector<int64_t> lines(sources.lines.begin(), sources.lines.end());
  for (size_t b = 0; b < count; ++b) rows.push_back({static_cast<int64_t>(b)});
  const auto decoding = model.decode(sources.batch, 1);
  Tensor words = Tensor::full({sources.size(), 1}, sources.ids.sos, DType::kI32);
  std::vector<float> log_probs(count);
  std::vector<int32_t> going_on;

  for (int64_t position = 0; !rows.empty(); ++position) {
    Tensor look;
    const Tensor logits = decoding->step(words, options.look ? &look : nullptr);
    int32_t* chosen = words.data<int32_t>();
    choose(logits, lines, position, chosen, log_probs.data());

    const StepLook step(look);
    going_on.clear();
    for (size_t r = 0; r < rows.size(); ++r) {
      Row& row = rows[r];
      if (row.ended) {
        chosen[r] = sources.ids.eos;
        continue;
      }
      if (chosen[r] < 0) fail_without_numbers(lines[r]);
      const auto b = static_cast<size_t>(row.sentence);
      const int64_t length = sources.length(row.sentence);
      Hypothesis& said = found[b].front();
      said.log_prob += static_cast<double>(log_probs[r]);
      said.ended = chosen[r] == sources.ids.eos;
      if (!said.ended) said.words.push_back(chosen[r]);
      if (step.defined()) {
        heads = step.heads();
        looks[b].resize(looks[b].size() + static_cast<size_t>(heads * length));
        step.copy(static_cast<int64_t>(r), 0, length, looks[b].data() + position * heads * length);
      }
      row.ended = said.ended || position + 1 == sources.most_words(row.sentence, options);
      if (row.ended)
        said.score = normalized(said.log_prob, position + 1, options);
      else
        going_on.push_back(static_cast<int32_t>(r));
    }

    if (!worth_gathering(going_on.size(), static_cast<int64_t>(rows.size()))) continue;
    for (size_t i = 0; i < going_on.size(); ++i) {
      const auto r = static_cast<size_t>(going_on[i]);
      rows[i] = rows[r];
      lines[i] = lines[r];
      chosen[i] = chosen[r];
    }
    rows.resize(going_on.size());
    lines.resize(going_on.size());
    words = words.slice(0, static_cast<int64_t>(rows.size()));
    if (!rows.empty()) decoding->keep(Tensor::of<int32_t>({words.dim(0)}, going_on));
  }

  for (size_t b = 0; b < count; ++b) {
    if (looks[b].empty()) continue;
    const int64_t length = sources.length(static_cast<int64_t>(b));
    const int64_t steps = static_cast<int64_t>(looks[b].size()) / (heads * length);
    found[b].front().look =
        join_steps(heads, steps, length, [&](int64_t t) { return looks[b].data() + t * heads * length; });
  }
  return found;
}

}  // namespace fovea::decode
