// Lines that a model reads as a whole: hidden words, or labels. It begins with first weights, or with those of a model that was trained before.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "fovea/autograd/tape.h"
#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/data/readings.h"
#include "fovea/models/bert.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/table.h"
#include "fovea/run/load.h"
#include "fovea/train/model_config.h"
#include "fovea/train/run_data.h"
#include "fovea/train/task.h"
#include "fovea/train/valid_metrics.h"

namespace fovea::train {
namespace {

data::ReadingOptions reading_options(const Settings& s) {
  data::ReadingOptions options;
  options.wanted = s.task == "labels"         ? data::Wanted::kLabel
                   : s.task == "token-labels" ? data::Wanted::kTokenLabels
                                              : data::Wanted::kWords;
  options.max_length = s.max_length;
  options.hidden = s.mask_share;
  return options;
}

class ReadingTask final : public Task {
 public:
  explicit ReadingTask(const Settings& settings) : Task(settings), options_(reading_options(settings)) {}

  DataSize size() override { return size_of_texts(settings_.train_sets); }

  models::Model new_model() override {
    if (!settings_.pretrained.empty()) return from_pretrained();
    const std::shared_ptr<const data::Tokenizer> tokenizer =
        learn_tokenizer(settings_.train_sets, settings_, false);
    const data::Readings readings = data::read_readings(settings_.train_sets, *tokenizer, options_);
    const nlohmann::json config =
        reading_config(settings_, tokenizer->size(), tokenizer->special_ids(), readings.labels);
    return {models::make_net(config, static_cast<uint64_t>(settings_.seed)), tokenizer, tokenizer};
  }

  void prepare(const models::Model& model) override {
    net_ = std::dynamic_pointer_cast<models::Bert>(model.net);
    tokenizer_ = model.source;
    train_ = data::read_readings(settings_.train_sets, *tokenizer_, options_, net_->options().labels);
    if (!settings_.valid_sets.empty())
      valid_ = data::read_readings(settings_.valid_sets, *tokenizer_, options_, net_->options().labels);
    else
      valid_ = data::hold_out(train_, settings_.valid_split);
  }

  std::unique_ptr<data::BatchStream> batches(data::Position at) const override {
    return std::make_unique<data::ReadingStream>(train_, *tokenizer_, options_, batch_options(settings_), at);
  }

  Validate validate() override {
    if (valid_.lines.empty()) return {};
    return [this](const StopRequested& stop) { return measure(stop); };
  }

  uint64_t fingerprint() const override { return data::fingerprint(train_); }
  uint32_t valid_checksum() const override { return static_cast<uint32_t>(data::fingerprint(valid_)); }
  std::string summary() const override {
    const auto lines = [](const data::Readings& r) {
      return fmt::format(
          "{} lines{}", grouped(static_cast<int64_t>(r.lines.size())),
          r.cut > 0 ? fmt::format(" ({} as long as --max-length or cut there)", grouped(r.cut)) : "");
    };
    const bool held_out = !valid_.lines.empty() && settings_.valid_sets.empty();
    return fmt::format("training on {}; validation on {}{}", lines(train_),
                       valid_.lines.empty() ? "nothing" : lines(valid_),
                       held_out ? held_out_of(settings_) : "");
  }

 private:
  // The body of a trained model, with a head of this task's.
  models::Model from_pretrained() const {
    const models::Model old = models::load_model(settings_.pretrained);
    auto* bert = dynamic_cast<models::Bert*>(old.net.get());
    check(bert != nullptr, "train", "{}: expected a bert", settings_.pretrained);
    models::BertOptions options = bert->options();
    options.problem_type.clear();
    options.max_seq_length = 0;  // of its sentence vectors
    check(settings_.max_length <= options.longest(), "train",
          "--max-length {}, and {} reads {} tokens: make it less", settings_.max_length, settings_.pretrained,
          options.longest());
    const data::Readings readings = data::read_readings(settings_.train_sets, *old.source, options_);
    options.head = settings_.task == "labels"         ? "labels"
                   : settings_.task == "token-labels" ? "token_labels"
                                                      : "words";
    options.labels = readings.labels;
    options.pooler = options.head == "labels";
    options.dropout = settings_.dropout;
    options.dropout_attention = settings_.dropout_attention;
    auto net = std::make_shared<models::Bert>(options, static_cast<uint64_t>(settings_.seed));
    std::map<std::string, Tensor> known;
    for (const nn::Parameter* parameter : bert->parameters()) known[parameter->name] = parameter->value;
    for (nn::Parameter* parameter : net->parameters())
      if (const auto found = known.find(parameter->name);
          found != known.end() && found->second.shape() == parameter->value.shape())
        parameter->value = found->second;
    return {net, old.source, old.source};
  }

  std::optional<std::vector<double>> measure(const StopRequested& stop) const {
    const autograd::NoTape no_tape;
    data::BatchOptions batches = batch_options(settings_);
    const data::BatchPlan plan = data::plan_sorted(data::lengths_of(valid_), batches);
    double sum = 0;
    int64_t wanted = 0, right = 0;
    constexpr uint64_t kSeed = 1;  // the same words are hidden each time
    const std::shared_ptr<const run::Encoder> encoder = run::encoder_of(*net_);
    for (int64_t k = 0; k < plan.size(); ++k) {
      if (stop()) return {};
      const data::Batch batch = data::reading_batch(valid_, plan.batch(k), *tokenizer_, options_, kSeed, 0);
      sum += net_->cost(batch, {}).cross_entropy;
      wanted += batch.target_tokens;
      right += found_in(batch, *encoder);
    }
    std::vector<double> values;
    for (const std::string& name : settings_.valid_metrics) {
      const ValidMetric& metric = valid_metric_named(name);
      values.push_back(metric.of_choices ? 100.0 * static_cast<double>(right) / static_cast<double>(wanted)
                                         : metric.of_cross_entropy(sum / static_cast<double>(wanted)));
    }
    return values;
  }

  // How many of the wanted words or labels are the most probable ones.
  int64_t found_in(const data::Batch& batch, const run::Encoder& encoder) const {
    const int64_t B = batch.source.ids.dim(0), S = batch.source.ids.dim(1), T = batch.target_out.dim(1);
    std::vector<int32_t> rows, wanted;
    std::vector<run::Text> texts;
    int32_t start = 0;
    for (int64_t b = 0; b < B; ++b) {
      const int32_t length = batch.source.lengths.data<int32_t>()[b];
      const auto part = [&](const Tensor& x) {
        return x.defined() ? std::span<const int32_t>(x.data<int32_t>() + b * S, static_cast<size_t>(length))
                           : std::span<const int32_t>();
      };
      texts.push_back({part(batch.source.ids), part(batch.source.segments)});
      for (int32_t s = 0; s < (T == S ? length : 1); ++s)
        if (const int32_t id = batch.target_out.data<int32_t>()[b * T + s]; id != data::kIgnore) {
          rows.push_back(start + s);
          wanted.push_back(id);
        }
      start += length;
    }
    if (rows.empty()) return 0;
    if (encoder.info().head == run::Head::kLabels) rows.clear();
    const Tensor logits = encoder.logits(texts, rows);
    const int64_t V = logits.dim(1);
    int64_t right = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const float* row = logits.data<float>() + static_cast<int64_t>(i) * V;
      right += std::max_element(row, row + V) - row == wanted[i];
    }
    return right;
  }

  data::ReadingOptions options_;
  std::shared_ptr<models::Bert> net_;
  std::shared_ptr<const data::Tokenizer> tokenizer_;
  data::Readings train_, valid_;
};

}  // namespace

std::unique_ptr<Task> reading_task(const Settings& settings) {
  return std::make_unique<ReadingTask>(settings);
}

}  // namespace fovea::train
