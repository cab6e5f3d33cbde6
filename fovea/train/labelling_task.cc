// Pictures with labels.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
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

class LabellingTask final : public Task {
 public:
  explicit LabellingTask(const Settings& settings) : Task(settings), data_(load_pictures(settings)) {}

  DataSize size() override { return {.lines = data_.train->size()}; }

  models::Model new_model() override {
    const nlohmann::json config =
        labelling_config(settings_, data_.train->side(), data_.train->channels(), data_.train->labels());
    return {models::make_net(config, static_cast<uint64_t>(settings_.seed)), nullptr, nullptr};
  }

  void prepare(const models::Model& model) override {
    hold_out(data_, settings_);
    net_ = model.net;
    const run::PictureEncoderInfo info = run::picture_encoder_of(*net_)->info();
    input_ = info.input;
    targets_ = data::label_targets(info.labels);
    check_labels();
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
  // A label of the validation set that training does not have is found before training begins.
  void check_labels() const {
    if (!data_.valid || data_.held_out) return;
    const std::vector<std::string> labels = data_.valid->labels();
    data::Batch batch;
    try {
      targets_(labels, batch);
    } catch (const Error& error) {
      const std::string_view text = error.what();
      fail("train", "the validation set: {}", text.substr(text.find("] ") + 2));
    }
  }

  std::optional<std::vector<double>> measure(const StopRequested& stop) const {
    const bool gaze = std::ranges::any_of(
        settings_.valid_metrics, [](const std::string& name) { return valid_metric_named(name).of_gaze; });
    const auto quality =
        label_quality(*run::picture_encoder_of(*net_), *data_.valid, settings_.mini_batch, gaze, stop);
    if (!quality) return {};
    std::vector<double> values;
    for (const std::string& name : settings_.valid_metrics)
      values.push_back(value_of(valid_metric_named(name), *quality));
    return values;
  }

  PictureData data_;
  std::shared_ptr<models::Net> net_;
  data::PictureInput input_;
  data::Targets targets_;
};

}  // namespace

std::unique_ptr<Task> labelling_task(const Settings& settings) {
  return std::make_unique<LabellingTask>(settings);
}

}  // namespace fovea::train
