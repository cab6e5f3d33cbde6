// Pairs of lines.
#include <optional>

#include "fovea/data/dataset.h"
#include "fovea/models/table.h"
#include "fovea/train/model_config.h"
#include "fovea/train/run_data.h"
#include "fovea/train/task.h"
#include "fovea/train/validator.h"

namespace fovea::train {
namespace {

class TranslationTask final : public Task {
 public:
  explicit TranslationTask(const Settings& settings) : Task(settings), data_(load_data(settings)) {}

  DataSize size() override {
    DataMeter meter;
    for (const data::Pair& pair : data_.train) meter.add(pair.source, pair.target);
    return meter.size();
  }

  models::Model new_model() override {
    hold_out_once();
    const Tokenizers tokenizers = learn_tokenizers(data_.train, settings_);
    const nlohmann::json config =
        model_config(settings_, tokenizers.source->size(), tokenizers.target->size(),
                     tokenizers.source->special_ids(), tokenizers.target->special_ids());
    return {models::make_net(config, static_cast<uint64_t>(settings_.seed)), tokenizers.source,
            tokenizers.target};
  }

  void prepare(const models::Model& model) override {
    hold_out_once();
    dataset_.emplace(data_.train, *model.source, *model.target, settings_.max_length);
    valid_checksum_ = data_.valid_checksum();
    if (!data_.valid.empty())
      validator_.emplace(model, data_.valid, settings_, translate_with(model, settings_));
    data_ = {};
  }

  std::unique_ptr<data::BatchStream> batches(data::Position at) const override {
    return std::make_unique<data::PairStream>(*dataset_, batch_options(settings_), at);
  }
  Validate validate() override {
    if (!validator_) return {};
    return [this](const StopRequested& stop) { return (*validator_)(stop); };
  }
  uint64_t fingerprint() const override { return dataset_->fingerprint(); }
  uint32_t valid_checksum() const override { return valid_checksum_; }
  std::string summary() const override {
    return fmt::format("training on {}; validation on {}{}", dataset_->report().summary(),
                       validator_ ? validator_->report().summary() : "nothing",
                       held_out_ ? held_out_of(settings_) : "");
  }

 private:
  void hold_out_once() {
    if (data_.valid.empty()) held_out_ = hold_out(data_, settings_);
  }

  RunData data_;
  std::optional<data::Dataset> dataset_;
  std::optional<Validator> validator_;
  uint32_t valid_checksum_ = 0;
  bool held_out_ = false;
};

}  // namespace

std::unique_ptr<Task> translation_task(const Settings& settings) {
  return std::make_unique<TranslationTask>(settings);
}

}  // namespace fovea::train
