#include "fovea/base/grouped.h"
#include "fovea/data/picture_batches.h"
#include "fovea/data/picture_set.h"
#include "fovea/models/table.h"
#include "fovea/run/load.h"
#include "fovea/study/subject.h"

namespace fovea::study {
namespace {

constexpr const char* kScenes = "scenes";
// Of the batch, and of the draws, that tell how noisy a gradient is.
constexpr int64_t kRows = 32, kDraws = 32;

// The model with attention that is hard in every batch, where it is hard at all.
std::unique_ptr<models::Net> without_soft_batches(models::Net& net, int64_t seed) {
  nlohmann::json config = net.config();
  config["soft_share"] = 0;
  std::unique_ptr<models::Net> same = models::make_net(config, static_cast<uint64_t>(seed));
  const nn::ParameterList from = net.parameters(), to = same->parameters();
  for (size_t i = 0; i < to.size(); ++i) to[i]->value.copy_from(from[i]->value);
  std::vector<NamedTensor> from_buffers = net.buffers(), to_buffers = same->buffers();
  for (size_t i = 0; i < to_buffers.size(); ++i) to_buffers[i].tensor.copy_from(from_buffers[i].tensor);
  return same;
}

class CaptionedScenes final : public Subject {
 public:
  explicit CaptionedScenes(const Options& options)
      : kind_(data::picture_corpus_named(kScenes)),
        seed_(options.seed),
        tests_(data::corpus_pictures(kind_, {.seed = static_cast<uint64_t>(seed_)}, data::Part::kTest,
                                     tests_in_time(kind_.test, options.minutes), false)) {
    for (int64_t i = 0; i < tests_->size(); ++i) scenes_.push_back(tests_->at(0, i));
  }

  nlohmann::ordered_json sizes() const override { return {{"pictures", {{"test", tests_->size()}}}}; }
  std::string summary() const override {
    return fmt::format("scenes drawn anew to learn from, {} to test on", grouped(tests_->size()));
  }
  void add_data(train::Settings& settings) const override {
    settings.corpus = kind_.name;
    settings.corpus_seed = seed_;
    settings.tokenizer = "word";
  }
  bool test(const train::RunResult& trained, Outcome& outcome,
            const train::StopRequested& stop) const override {
    const models::Model& model = trained.model;
    const run::LoadedDecoder decoder{run::decoder_of(*model.net), model.source, model.target};
    std::optional<CaptionQuality> quality = measure_captions(decoder, scenes_, stop);
    if (!quality) return false;
    std::vector<int64_t> which;
    for (int64_t i = 0; i < std::min(kRows, tests_->size()); ++i) which.push_back(i);
    const data::Batch batch = data::picture_batch(*tests_, 0, which, {.input = decoder.decoder->info().input},
                                                  data::caption_targets(*model.target));
    const std::optional<GradientNoise> noise =
        gradient_noise(*without_soft_batches(*model.net, seed_), batch, kDraws, stop);
    if (!noise) return false;
    quality->gradient = *noise;
    outcome.captions = *quality;
    return true;
  }
  std::string text_of(const Outcome& outcome) const override {
    return fmt::format("meaning {:.1f} %, pointing {:.1f} %", outcome.captions.meaning,
                       outcome.captions.pointing);
  }

 private:
  const data::PictureCorpusKind& kind_;
  int64_t seed_;
  data::PictureSetPtr tests_;
  std::vector<data::PictureSample> scenes_;  // the tests
};

}  // namespace

OpenSubject captioned_scenes() {
  return
      [](const Options& options, const std::string&) { return std::make_unique<CaptionedScenes>(options); };
}

}  // namespace fovea::study
