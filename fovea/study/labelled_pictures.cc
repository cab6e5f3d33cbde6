#include <filesystem>
#include <map>

#include "fovea/base/grouped.h"
#include "fovea/data/picture_set.h"
#include "fovea/run/load.h"
#include "fovea/study/picture_parts.h"
#include "fovea/study/subject.h"

namespace fovea::study {
namespace {

class LabelledPictures : public Subject {
 public:
  nlohmann::ordered_json sizes() const override {
    return {{"pictures", {{"train", most()}, {"test", tests().size()}}}};
  }
  std::string summary() const override {
    return fmt::format("up to {} pictures to learn from, {} to test on", grouped(most()),
                       grouped(static_cast<int64_t>(tests().size())));
  }
  // Those that would learn from all pictures, or from more than there are, are the one that learns from all.
  std::vector<Trial> usable(std::vector<Trial> trials) const override {
    std::erase_if(trials, [&](const Trial& trial) { return trial.settings.corpus_size >= most(); });
    return trials;
  }
  bool test(const train::RunResult& trained, Outcome& outcome,
            const train::StopRequested& stop) const override {
    const std::optional<int64_t> right =
        count_right(*run::picture_encoder_of(*trained.model.net), tests(), stop);
    outcome.labels = {learned_from(outcome.trial.settings), static_cast<int64_t>(tests().size()),
                      right.value_or(0)};
    return right.has_value();
  }
  std::string text_of(const Outcome& outcome) const override {
    return fmt::format("{:.1f} % right", outcome.labels.accuracy());
  }

 protected:
  virtual int64_t most() const = 0;  // pictures to learn from
  virtual std::span<const data::PictureSample> tests() const = 0;
  int64_t learned_from(const train::Settings& trial) const {
    return trial.corpus_size > 0 ? trial.corpus_size : most();
  }
};

class DrawnPictures final : public LabelledPictures {
 public:
  DrawnPictures(const char* corpus, const Options& options)
      : kind_(data::picture_corpus_named(corpus)), seed_(options.seed) {
    const int64_t tests = tests_in_time(kind_.test, options.minutes);
    for (int64_t i = 0; i < tests; ++i)
      tests_.push_back(draw_sample(kind_, {.seed = static_cast<uint64_t>(seed_)}, data::Part::kTest, i));
  }
  void add_data(train::Settings& settings) const override {
    settings.corpus = kind_.name;
    settings.corpus_seed = seed_;
    settings.corpus_size = learned_from(settings);
  }

 private:
  int64_t most() const override { return kind_.train; }
  std::span<const data::PictureSample> tests() const override { return tests_; }

  const data::PictureCorpusKind& kind_;
  int64_t seed_;
  std::vector<data::PictureSample> tests_;
};

class OwnPictures final : public LabelledPictures {
 public:
  OwnPictures(const Options& options, const std::string& dir)
      : parts_(picture_parts(options.data[0], options.data[1], static_cast<uint64_t>(options.seed))),
        dir_(dir + "/data") {
    std::filesystem::create_directories(dir_);
  }
  void add_data(train::Settings& settings) const override {
    const IdxFiles files = write_training(parts_, learned_from(settings), dir_);
    settings.images = files.images;
    settings.labels = files.labels;
    settings.corpus_size = 0;
  }

 private:
  int64_t most() const override { return static_cast<int64_t>(parts_.train.size()); }
  std::span<const data::PictureSample> tests() const override { return parts_.test; }

  PictureParts parts_;
  std::string dir_;
};

}  // namespace

OpenSubject labelled_pictures(const char* corpus) {
  return [corpus](const Options& options, const std::string& dir) -> std::unique_ptr<Subject> {
    if (options.data.empty()) return std::make_unique<DrawnPictures>(corpus, options);
    return std::make_unique<OwnPictures>(options, dir);
  };
}

}  // namespace fovea::study
