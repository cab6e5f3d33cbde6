#include "fovea/train/picture_quality.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fovea/data/picture_batches.h"
#include "fovea/data/pictures/input.h"

namespace fovea::train {
namespace {

// Calls f(indices) for `rows` pictures of a set at a time, in its order, until it returns false. Whether it got to the end.
bool in_batches(const data::PictureSet& set, int64_t rows,
                const std::function<bool(std::span<const int64_t>)>& f) {
  std::vector<int64_t> all(static_cast<size_t>(set.size()));
  std::iota(all.begin(), all.end(), 0);
  for (size_t begin = 0; begin < all.size(); begin += static_cast<size_t>(rows))
    if (!f(std::span(all).subspan(begin, std::min(static_cast<size_t>(rows), all.size() - begin))))
      return false;
  return true;
}

double distance_of(const run::GazePath& path, const data::PictureSample& truth, int64_t side) {
  const run::GazePath::Glance& last = path.glances.back();
  const auto scaled = [&](float x, int64_t pixels) {
    return static_cast<double>(x) * static_cast<double>(pixels) / static_cast<double>(side);
  };
  return std::hypot(scaled(last.x, truth.picture.width) - static_cast<double>(truth.centre.x),
                    scaled(last.y, truth.picture.height) - static_cast<double>(truth.centre.y));
}

}  // namespace

std::optional<LabelQuality> label_quality(const run::PictureEncoder& model, const data::PictureSet& set,
                                          int64_t rows, bool gaze, const std::function<bool()>& stop) {
  const run::PictureEncoderInfo& info = model.info();
  const data::Targets targets = data::label_targets(info.labels);
  const data::PictureBatches options{.rows = rows, .input = info.input};
  LabelQuality quality;
  const bool done = in_batches(set, rows, [&](std::span<const int64_t> which) {
    if (stop && stop()) return false;
    const data::Batch batch = data::picture_batch(set, 0, which, options, targets);
    const Tensor logits = model.logits(batch.pictures);
    const int64_t C = logits.dim(1);
    for (int64_t b = 0; b < logits.dim(0); ++b) {
      const float* row = logits.data<float>() + b * C;
      const float* best = std::max_element(row, row + C);
      const int32_t wanted = batch.target_out.data<int32_t>()[b];
      double all = 0;
      for (int64_t c = 0; c < C; ++c) all += std::exp(static_cast<double>(row[c] - *best));
      quality.cross_entropy += std::log(all) - static_cast<double>(row[wanted] - *best);
      quality.right += best - row == wanted;
    }
    quality.pictures += logits.dim(0);
    if (gaze) {
      const std::vector<run::GazePath> paths = model.gaze(batch.pictures);
      for (size_t i = 0; i < paths.size(); ++i)
        quality.distance += distance_of(paths[i], set.at(0, which[i]), info.input.size);
    }
    return true;
  });
  if (!done) return {};
  return quality;
}

bool is_of_labels(const ValidMetric& metric) {
  return metric.of_choices || metric.of_gaze || metric.of_cross_entropy;
}

double value_of(const ValidMetric& metric, const LabelQuality& quality) {
  const auto count = static_cast<double>(quality.pictures);
  return metric.of_choices ? 100.0 * static_cast<double>(quality.right) / count
         : metric.of_gaze  ? quality.distance / count
                           : metric.of_cross_entropy(quality.cross_entropy / count);
}

std::optional<CaptionQuality> caption_quality(const run::LoadedDecoder& model, const data::PictureSet& set,
                                              decode::CaptionOptions options,
                                              const std::function<bool()>& stop) {
  const run::DecoderInfo& info = model.decoder->info();
  options.search.look = decode::look_at_source();
  CaptionQuality quality;
  quality.grid = info.grid;
  const bool done = in_batches(set, options.batch, [&](std::span<const int64_t> which) {
    std::vector<data::Picture> pictures;
    for (const int64_t i : which) {
      quality.truth.push_back(set.at(0, i));
      quality.references.push_back(quality.truth.back().text);
      pictures.push_back(std::exchange(quality.truth.back().picture, {}));
    }
    const auto found = decode::caption_pictures(model, data::prepared(pictures, info.input), options, stop);
    for (size_t i = 0; found && i < found->size(); ++i) {
      quality.captions.push_back((*found)[i].front().text);
      quality.weights.push_back((*found)[i].front().weights);
    }
    return found.has_value();
  });
  if (!done) return {};
  return quality;
}

bool is_of_captions(const ValidMetric& metric) { return metric.of_scenes || metric.of_text; }

double value_of(const ValidMetric& metric, const CaptionQuality& quality) {
  if (!metric.of_scenes) return metric.of_text(quality.captions, quality.references);
  std::vector<SceneCaption> scenes;
  for (size_t i = 0; i < quality.captions.size(); ++i)
    scenes.push_back({&quality.truth[i], quality.captions[i], quality.weights[i], quality.grid});
  return metric.of_scenes(scenes);
}

}  // namespace fovea::train
