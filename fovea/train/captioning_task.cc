// Pictures with captions.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "fovea/autograd/tape.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/table.h"
#include "fovea/run/load.h"
#include "fovea/train/model_config.h"
#include "fovea/train/picture_data.h"
#include "fovea/train/picture_quality.h"
#include "fovea/train/task.h"
#include "fovea/train/valid_metrics.h"

namespace fovea::train {
namespace {

// Captions that a vocabulary is learned from, and that say how much text there is.
constexpr int64_t kMostCaptions = 20'000;

class CaptioningTask final : public Task {
 public:
  explicit CaptioningTask(const Settings& settings) : Task(settings), data_(load_pictures(settings)) {
    const int64_t count = std::min(data_.train->size(), kMostCaptions);
    for (int64_t i = 0; i < count; ++i) captions_.push_back(data_.train->text(i));
  }

  DataSize size() override {
    DataMeter meter;
    for (const std::string& caption : captions_) meter.add(caption);
    DataSize size = meter.size();
    size.lines = data_.train->size();
    return size;
  }

  models::Model new_model() override {
    const std::shared_ptr<const data::Tokenizer> tokenizer =
        data::train_tokenizer(captions_, {.kind = tokenizer_of(settings_),
                                          .vocab_size = settings_.vocab_size,
                                          .seed = static_cast<uint64_t>(settings_.seed)});
    const nlohmann::json config = captioning_config(settings_, data_.train->side(), data_.train->channels(),
                                                    tokenizer->size(), tokenizer->special_ids());
    return {models::make_net(config, static_cast<uint64_t>(settings_.seed)), tokenizer, tokenizer};
  }

  void prepare(const models::Model& model) override {
    hold_out(data_, settings_);
    model_ = model;
    input_ = run::decoder_of(*model.net)->info().input;
    targets_ = data::caption_targets(*model_.target);
    captions_ = {};
  }

  std::unique_ptr<data::BatchStream> batches(data::Position at) const override {
    return std::make_unique<data::PictureStream>(*data_.train, training_batches(settings_, input_), targets_,
                                                 at);
  }

  Validate validate() override {
    if (!data_.valid) return {};
    return [this](const StopRequested& stop) { return measure(stop); };
  }

  uint64_t fingerprint() const override { return data_.fingerprint(); }
  uint32_t valid_checksum() const override { return data_.valid_checksum(); }
  std::string summary() const override { return data_.summary(settings_); }

 private:
  std::optional<std::vector<double>> measure(const StopRequested& stop) const {
    const auto asks_for = [&](bool (*about)(const ValidMetric&)) {
      return std::ranges::any_of(settings_.valid_metrics,
                                 [&](const std::string& name) { return about(valid_metric_named(name)); });
    };
    std::optional<double> cross_entropy = 0;
    std::optional<CaptionQuality> quality = CaptionQuality();
    if (asks_for([](const ValidMetric& metric) { return metric.of_cross_entropy != nullptr; }))
      cross_entropy = mean_cross_entropy(stop);
    if (cross_entropy && asks_for(is_of_captions)) quality = captions(stop);
    if (!cross_entropy || !quality) return {};
    std::vector<double> values;
    for (const std::string& name : settings_.valid_metrics) {
      const ValidMetric& metric = valid_metric_named(name);
      values.push_back(metric.of_cross_entropy ? metric.of_cross_entropy(*cross_entropy)
                                               : value_of(metric, *quality));
    }
    return values;
  }

  // Of a token. Nothing where it was stopped.
  std::optional<double> mean_cross_entropy(const StopRequested& stop) const {
    const autograd::NoTape no_tape;
    double sum = 0;
    int64_t tokens = 0;
    bool stopped = false;
    for_each_valid_batch(*data_.valid, settings_, input_, targets_, [&](const data::Batch& batch) {
      const models::Cost cost = model_.net->cost(batch, {});
      sum += cost.cross_entropy;
      tokens += cost.tokens;
      stopped = stop();
      return !stopped;
    });
    if (stopped) return {};
    return sum / static_cast<double>(tokens);
  }

  std::optional<CaptionQuality> captions(const StopRequested& stop) const {
    decode::CaptionOptions options;
    options.search.beam_size = settings_.valid_beam;
    options.batch = settings_.mini_batch;
    return caption_quality({run::decoder_of(*model_.net), model_.source, model_.target}, *data_.valid,
                           options, stop);
  }

  PictureData data_;
  std::vector<std::string> captions_;
  models::Model model_;
  data::PictureInput input_;
  data::Targets targets_;
};

}  // namespace

std::unique_ptr<Task> captioning_task(const Settings& settings) {
  return std::make_unique<CaptioningTask>(settings);
}

}  // namespace fovea::train
