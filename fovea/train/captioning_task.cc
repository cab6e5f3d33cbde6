// Pictures with captions.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "fovea/autograd/tape.h"
#include "fovea/decode/caption.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/table.h"
#include "fovea/run/load.h"
#include "fovea/train/model_config.h"
#include "fovea/train/picture_data.h"
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
    for (int64_t i = 0; data_.valid && i < data_.valid->size(); ++i) {
      truth_.push_back(data_.valid->at(0, i));
      truth_.back().picture = {};
      references_.push_back(truth_.back().text);
    }
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
    const autograd::NoTape no_tape;
    bool says = false, stopped = false;
    for (const std::string& name : settings_.valid_metrics)
      says = says || !valid_metric_named(name).of_cross_entropy;
    const run::LoadedDecoder decoder{run::decoder_of(*model_.net), model_.source, model_.target};
    decode::CaptionOptions options;
    options.search.beam_size = settings_.valid_beam;
    options.search.look = decode::look_at_source();
    double sum = 0;
    int64_t tokens = 0;
    std::vector<std::string> captions;
    std::vector<SceneCaption> of_scenes;
    for_each_valid_batch(*data_.valid, settings_, input_, targets_, [&](const data::Batch& batch) {
      const models::Cost cost = model_.net->cost(batch, {});
      sum += cost.cross_entropy;
      tokens += cost.tokens;
      if (says) {
        const auto found = decode::caption_pictures(decoder, batch.pictures, options, stop);
        stopped = !found;
        for (size_t i = 0; found && i < found->size(); ++i) {
          const decode::Candidate& best = (*found)[i].front();
          of_scenes.push_back(
              {&truth_[captions.size()], best.text, best.weights, decoder.decoder->info().grid});
          captions.push_back(best.text);
        }
      }
      stopped = stopped || stop();
      return !stopped;
    });
    if (stopped) return {};
    std::vector<double> values;
    for (const std::string& name : settings_.valid_metrics) {
      const ValidMetric& metric = valid_metric_named(name);
      values.push_back(metric.of_scenes          ? metric.of_scenes(of_scenes)
                       : metric.of_cross_entropy ? metric.of_cross_entropy(sum / static_cast<double>(tokens))
                                                 : metric.of_text(captions, references_));
    }
    return values;
  }

  PictureData data_;
  std::vector<std::string> captions_, references_;
  std::vector<data::PictureSample> truth_;  // of the validation set, without the pictures
  models::Model model_;
  data::PictureInput input_;
  data::Targets targets_;
};

}  // namespace

std::unique_ptr<Task> captioning_task(const Settings& settings) {
  return std::make_unique<CaptioningTask>(settings);
}

}  // namespace fovea::train
