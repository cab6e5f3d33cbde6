// A long text, which a model learns to continue. Its ids lie in the run's directory, and are mapped from there.
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <optional>

#include "fovea/autograd/tape.h"
#include "fovea/base/crc32c.h"
#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/data/text_file.h"
#include "fovea/data/text_windows.h"
#include "fovea/models/table.h"
#include "fovea/train/model_config.h"
#include "fovea/train/run_data.h"
#include "fovea/train/task.h"
#include "fovea/train/valid_metrics.h"

namespace fovea::train {
namespace {

class LanguageTask final : public Task {
 public:
  LanguageTask(const Settings& settings, std::string directory)
      : Task(settings), directory_(std::move(directory)) {}

  DataSize size() override { return size_of_texts(settings_.train_sets); }

  models::Model new_model() override {
    const std::shared_ptr<const data::Tokenizer> tokenizer =
        learn_tokenizer(settings_.train_sets, settings_, true);
    const nlohmann::json config = language_config(settings_, tokenizer->size(), tokenizer->special_ids());
    return {models::make_net(config, static_cast<uint64_t>(settings_.seed)), tokenizer, tokenizer};
  }

  void prepare(const models::Model& model) override {
    net_ = model.net;
    train_.emplace(encoded(settings_.train_sets, *model.source, "train"));
    const int64_t all = train_->size();
    train_end_ = all;
    if (!settings_.valid_sets.empty()) {
      valid_.emplace(encoded(settings_.valid_sets, *model.source, "valid"));
      valid_size_ = valid_->size();
    } else if (settings_.valid_split > 0) {
      train_end_ = static_cast<int64_t>(static_cast<double>(all) * (1 - settings_.valid_split));
      valid_begin_ = train_end_;
      valid_size_ = all - train_end_;
    }
    check(valid_size_ == 0 || valid_size_ > settings_.block_size, "train",
          "{} tokens to validate on, and --block-size {}: give more text, or a smaller block",
          grouped(valid_size_), settings_.block_size);
  }

  std::unique_ptr<data::BatchStream> batches(data::Position at) const override {
    return std::make_unique<data::WindowStream>(
        *train_, train_end_,
        data::WindowOptions{settings_.block_size, rows(), static_cast<uint64_t>(settings_.seed)}, at);
  }

  Validate validate() override {
    if (valid_size_ == 0) return {};
    return [this](const StopRequested& stop) { return measure(stop); };
  }

  uint64_t fingerprint() const override { return train_->fingerprint() ^ static_cast<uint64_t>(train_end_); }
  uint32_t valid_checksum() const override {
    return valid_ ? static_cast<uint32_t>(valid_->fingerprint()) : static_cast<uint32_t>(valid_size_);
  }
  std::string summary() const override {
    return fmt::format("training on {} tokens; validation on {}", grouped(train_end_),
                       valid_size_ > 0 ? grouped(valid_size_) : "nothing");
  }

 private:
  int64_t rows() const { return settings_.mini_batch > 0 ? settings_.mini_batch : 12; }

  // The ids of texts, encoded anew unless the file is as old as the texts' and of this tokenizer.
  data::TokenFile encoded(const Words& texts, const data::Tokenizer& tokenizer,
                          const std::string& name) const {
    uint32_t mark = crc32c(tokenizer.serialized());
    for (const std::string& text : texts) {
      struct stat info {};
      if (::stat(text.c_str(), &info) == 0)
        mark = crc32c(
            fmt::format("{} {} {}.{}", text, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec), mark);
    }
    const std::string path = fmt::format("{}/{}-{:08x}.ids", directory_, name, mark);
    if (!std::filesystem::exists(path)) {
      for (const auto& entry : std::filesystem::directory_iterator(directory_))
        if (const std::string file = entry.path().filename();
            file.starts_with(name + "-") && file.ends_with(".ids"))
          std::filesystem::remove(entry.path());
      data::write_token_file(texts, tokenizer, path);
    }
    return data::TokenFile(path);
  }

  // Over the whole of the text, window after window.
  std::optional<std::vector<double>> measure(const StopRequested& stop) const {
    const autograd::NoTape no_tape;
    const data::TokenFile& text = valid_ ? *valid_ : *train_;
    const int64_t block = settings_.block_size;
    double sum = 0;
    int64_t tokens = 0;
    std::vector<int64_t> begins;
    const auto run = [&](int64_t length) {
      const models::Cost cost = net_->cost(data::window_batch(text, begins, length), {});
      sum += cost.cross_entropy;
      tokens += cost.tokens;
      begins.clear();
    };
    const int64_t end = valid_begin_ + valid_size_;
    int64_t begin = valid_begin_;
    for (; begin + block < end; begin += block) {
      if (stop()) return {};
      begins.push_back(begin);
      if (static_cast<int64_t>(begins.size()) == rows()) run(block);
    }
    if (!begins.empty()) run(block);
    if (begin + 1 < end) {  // the last window is shorter
      begins = {begin};
      run(end - 1 - begin);
    }
    std::vector<double> values;
    for (const std::string& name : settings_.valid_metrics)
      values.push_back(valid_metric_named(name).of_cross_entropy(sum / static_cast<double>(tokens)));
    return values;
  }

  std::string directory_;
  std::shared_ptr<models::Net> net_;
  std::optional<data::TokenFile> train_, valid_;
  int64_t train_end_ = 0, valid_begin_ = 0, valid_size_ = 0;
};

}  // namespace

std::unique_ptr<Task> language_task(const Settings& settings, const std::string& directory) {
  return std::make_unique<LanguageTask>(settings, directory);
}

}  // namespace fovea::train
