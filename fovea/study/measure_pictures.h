// What a model makes of pictures that it has never seen: labels, or captions and where it looks.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "fovea/data/picture_corpora.h"
#include "fovea/run/loaded.h"
#include "fovea/run/picture_encoder.h"
#include "fovea/study/gradient_noise.h"

namespace fovea::study {

struct LabelQuality {
  int64_t learned_from = 0;  // pictures
  int64_t pictures = 0, right = 0;

  double accuracy() const {  // in percent
    return pictures > 0 ? 100.0 * static_cast<double>(right) / static_cast<double>(pictures) : 0;
  }
};

struct CaptionQuality {
  int64_t pictures = 0;
  double meaning = 0, pointing = 0;  // in percent, as train/scene_metrics.h says
  // The effective number of places that are read for a token, exp(-sum_i a_i log a_i) of its weights a: between 1, one place alone, and
  // all of them, evenly. The mean over heads and tokens of all captions.
  double places = 0;
  GradientNoise gradient;
};

// How many pictures have the label that the model finds most probable. Nothing where `stop`, asked now and then, says so.
std::optional<int64_t> count_right(const run::PictureEncoder& model,
                                   std::span<const data::PictureSample> pictures,
                                   const std::function<bool()>& stop = {});

// Greedy captions of scenes, and where they looked; the gradient is left as it is.
std::optional<CaptionQuality> measure_captions(const run::LoadedDecoder& model,
                                               std::span<const data::PictureSample> scenes,
                                               const std::function<bool()>& stop = {});

}  // namespace fovea::study
