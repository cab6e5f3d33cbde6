#include "fovea/train/picture_data.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/train/run_data.h"

namespace fovea::train {
namespace {

PictureData drawn(const Settings& s) {
  const data::PictureCorpusKind& kind = data::picture_corpus_named(s.corpus);
  const data::PictureCorpusOptions options{.seed = static_cast<uint64_t>(s.corpus_seed),
                                           .cluttered = s.cluttered};
  const bool anew = s.corpus_size == 0;
  return {data::corpus_pictures(kind, options, data::Part::kTrain, anew ? kind.train : s.corpus_size, anew),
          data::corpus_pictures(kind, options, data::Part::kValid, kind.valid, false)};
}

}  // namespace

PictureData load_pictures(const Settings& s) {
  if (!s.corpus.empty()) return drawn(s);
  PictureData data;
  if (!s.images.empty()) {
    data.train = data::idx_pictures(s.images, s.labels, "train");
    if (!s.valid_images.empty()) data.valid = data::idx_pictures(s.valid_images, s.valid_labels, "train");
    if (s.cluttered) {
      const auto seed = static_cast<uint64_t>(s.corpus_seed);
      data.train = data::scattered_pictures(data.train, seed, true, "train");
      if (data.valid) data.valid = data::scattered_pictures(data.valid, seed, false, "train");
    }
    return data;
  }
  const bool captions = !s.captions.empty();
  const std::string& valid = captions ? s.valid_captions : s.valid_labels;
  data.train = data::folder_pictures(s.pictures, captions ? s.captions : s.labels, captions, "train");
  if (!valid.empty()) data.valid = data::folder_pictures(s.pictures, valid, captions, "train");
  return data;
}

void hold_out(PictureData& data, const Settings& settings) {
  if (data.valid || settings.valid_split == 0) return;
  data::SplitPictures split = data::split_pictures(data.train, settings.valid_split);
  if (split.held_out->size() == 0 || split.others->size() == 0) return;
  data = {std::move(split.others), std::move(split.held_out), true};
}

std::string PictureData::summary(const Settings& settings) const {
  return fmt::format("training on {} pictures; validation on {}{}", grouped(train->size()),
                     valid ? grouped(valid->size()) : "nothing", held_out ? held_out_of(settings) : "");
}

data::PictureBatches training_batches(const Settings& s, const data::PictureInput& input) {
  return {.rows = s.mini_batch,
          .seed = static_cast<uint64_t>(s.seed),
          .input = input,
          .augment = {.shift = s.shift, .flip = s.flip, .colour = static_cast<float>(s.colour)}};
}

void for_each_valid_batch(const data::PictureSet& set, const Settings& settings,
                          const data::PictureInput& input, const data::Targets& targets,
                          const std::function<bool(const data::Batch&)>& f) {
  const data::PictureBatches options{.rows = settings.mini_batch, .input = input};
  for (int64_t begin = 0; begin < set.size(); begin += options.rows) {
    std::vector<int64_t> which(static_cast<size_t>(std::min(options.rows, set.size() - begin)));
    std::iota(which.begin(), which.end(), begin);
    if (!f(data::picture_batch(set, 0, which, options, targets))) return;
  }
}

}  // namespace fovea::train
