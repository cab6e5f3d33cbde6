#include "fovea/train/validator.h"

#include "fovea/autograd/tape.h"
#include "fovea/base/error.h"
#include "fovea/data/batch_plan.h"
#include "fovea/data/make_batch.h"
#include "fovea/decode/translate.h"
#include "fovea/run/load.h"
#include "fovea/train/valid_metrics.h"

namespace fovea::train {
namespace {

data::Dataset readable(std::span<const data::Pair> pairs, const models::Model& model, int64_t max_length) {
  try {
    return {pairs, *model.source, *model.target, max_length};
  } catch (const Error& error) {
    fail("train", "the validation set: {}", error.what());
  }
}

}  // namespace

Translate translate_with(const models::Model& model, const Settings& settings) {
  constexpr int64_t kSentences = 64;
  decode::TranslateOptions options;
  options.search.beam_size = settings.valid_beam;
  options.batch = settings.mini_batch > 0 ? settings.mini_batch : kSentences;
  options.crop = true;
  if (settings.max_length > 0) options.max_length = settings.max_length;
  return [model, options](std::span<const std::string> lines,
                          const StopRequested& stop) -> std::optional<std::vector<std::string>> {
    // Of the weights as they are now.
    const decode::Translator translator({run::decoder_of(*model.net), model.source, model.target}, options);
    std::vector<std::string> texts(lines.size());
    const bool finished = translator.translate(
        lines, 0,
        [&](size_t i, const decode::Translation& translation) { texts[i] = translation.best().text; }, stop);
    if (!finished) return {};
    return texts;
  };
}

Validator::Validator(const models::Model& model, std::span<const data::Pair> pairs, const Settings& settings,
                     Translate translate)
    : net_(model.net),
      data_(readable(pairs, model, settings.max_length)),
      batches_{.tokens = settings.mini_batch_words, .rows = settings.mini_batch},
      metrics_(settings.valid_metrics),
      translate_(std::move(translate)) {
  for (const data::Pair& pair : pairs) {
    sources_.push_back(pair.source);
    references_.push_back(pair.target);
  }
}

std::optional<double> Validator::cross_entropy(const StopRequested& stop) const {
  const autograd::NoTape no_tape;
  const data::BatchPlan plan = data::plan_sorted(data_, batches_);
  double sum = 0;
  int64_t tokens = 0;
  for (int64_t k = 0; k < plan.size(); ++k) {
    if (stop()) return {};
    const models::Cost cost = net_->cost(data::make_batch(data_, plan.batch(k)), {});
    sum += cost.cross_entropy;
    tokens += cost.tokens;
  }
  return sum / static_cast<double>(tokens);
}

std::optional<std::vector<double>> Validator::operator()(const StopRequested& stop) const {
  std::optional<double> mean;
  std::optional<std::vector<std::string>> translations;
  std::vector<double> values;
  for (const std::string& name : metrics_) {
    const ValidMetric& metric = valid_metric_named(name);
    if (metric.of_text) {
      if (!translations) translations = translate_(sources_, stop);
      if (!translations) return {};
      values.push_back(metric.of_text(*translations, references_));
    } else {
      if (!mean) mean = cross_entropy(stop);
      if (!mean) return {};
      values.push_back(metric.of_cross_entropy(*mean));
    }
  }
  return values;
}

}  // namespace fovea::train
