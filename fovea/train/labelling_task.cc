// Pictures with labels.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/table.h"
#include "fovea/run/load.h"
#include "fovea/train/model_config.h"
#include "fovea/train/picture_data.h"
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

  // The sum of distances from last glimpses to the middles of what is on these pictures of the validation set, in their own pixels.
  double distances(std::span<const run::GazePath> paths, std::span<const int64_t> lines) const {
    double sum = 0;
    for (size_t i = 0; i < paths.size(); ++i) {
      const data::PictureSample truth = data_.valid->at(0, lines[i]);
      const run::GazePath::Glance& last = paths[i].glances.back();
      const auto size = static_cast<double>(input_.size);
      sum += std::hypot(static_cast<double>(last.x) * static_cast<double>(truth.picture.width) / size -
                            static_cast<double>(truth.centre.x),
                        static_cast<double>(last.y) * static_cast<double>(truth.picture.height) / size -
                            static_cast<double>(truth.centre.y));
    }
    return sum;
  }

  std::optional<std::vector<double>> measure(const StopRequested& stop) const {
    const std::shared_ptr<const run::PictureEncoder> encoder = run::picture_encoder_of(*net_);
    const bool looks = std::ranges::any_of(
        settings_.valid_metrics, [](const std::string& name) { return valid_metric_named(name).of_gaze; });
    double sum = 0, away = 0;
    int64_t right = 0;
    bool stopped = false;
    for_each_valid_batch(*data_.valid, settings_, input_, targets_, [&](const data::Batch& batch) {
      stopped = stop();
      if (stopped) return false;
      const Tensor logits = encoder->logits(batch.pictures);
      const int64_t C = logits.dim(1);
      for (int64_t b = 0; b < logits.dim(0); ++b) {
        const float* row = logits.data<float>() + b * C;
        const float* best = std::max_element(row, row + C);
        const int32_t wanted = batch.target_out.data<int32_t>()[b];
        double all = 0;
        for (int64_t c = 0; c < C; ++c) all += std::exp(static_cast<double>(row[c] - *best));
        sum += std::log(all) - static_cast<double>(row[wanted] - *best);
        right += best - row == wanted;
      }
      if (looks) away += distances(encoder->gaze(batch.pictures), batch.lines);
      return true;
    });
    if (stopped) return {};
    const auto count = static_cast<double>(data_.valid->size());
    std::vector<double> values;
    for (const std::string& name : settings_.valid_metrics) {
      const ValidMetric& metric = valid_metric_named(name);
      values.push_back(metric.of_choices ? 100.0 * static_cast<double>(right) / count
                       : metric.of_gaze  ? away / count
                                         : metric.of_cross_entropy(sum / count));
    }
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
