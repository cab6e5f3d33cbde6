// What a model makes of pictures whose labels or captions are known: in validation, and in `fovea eval`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fovea/data/picture_set.h"
#include "fovea/decode/caption.h"
#include "fovea/run/loaded.h"
#include "fovea/run/picture_encoder.h"
#include "fovea/train/valid_metrics.h"

namespace fovea::train {

// Sums over the pictures of a set.
struct LabelQuality {
  int64_t pictures = 0, right = 0;
  double cross_entropy = 0;
  double distance = 0;  // from the last glimpse to the middle of what is on the picture, in its own pixels
};
// `rows` pictures at a time. `gaze`: of an eye that moves, follow it. Nothing where `stop`, asked before each batch, says so. Throws for a
// label that the model does not have.
std::optional<LabelQuality> label_quality(const run::PictureEncoder& model, const data::PictureSet& set,
                                          int64_t rows, bool gaze, const std::function<bool()>& stop = {});
// Of a metric that is about labels (is_of_labels).
double value_of(const ValidMetric& metric, const LabelQuality& quality);
bool is_of_labels(const ValidMetric& metric);

// The best caption of every picture of a set, in its order, with the truth about the picture; the pictures themselves are not kept.
struct CaptionQuality {
  std::vector<data::PictureSample> truth;
  std::vector<std::string> captions, references;
  std::vector<Tensor> weights;  // where each token looked: [H, T, grid * grid]
  int64_t grid = 0;
};
std::optional<CaptionQuality> caption_quality(const run::LoadedDecoder& model, const data::PictureSet& set,
                                              decode::CaptionOptions options,
                                              const std::function<bool()>& stop = {});
// Of a metric that is about captions: a function of the text, or of scenes.
double value_of(const ValidMetric& metric, const CaptionQuality& quality);
bool is_of_captions(const ValidMetric& metric);

}  // namespace fovea::train
