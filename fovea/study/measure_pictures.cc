#include "fovea/study/measure_pictures.h"

#include <algorithm>
#include <cmath>

#include "fovea/decode/caption.h"
#include "fovea/decode/classify_pictures.h"
#include "fovea/decode/looks.h"
#include "fovea/train/scene_metrics.h"

namespace fovea::study {
namespace {

constexpr size_t kAtOnce = 64;

// Some pictures after others: calls f(samples) until it returns false. Whether it got to the end.
template <typename F>
bool in_batches(std::span<const data::PictureSample> samples, const std::function<bool()>& stop, F&& f) {
  for (size_t begin = 0; begin < samples.size(); begin += kAtOnce) {
    if (stop && stop()) return false;
    if (!f(samples.subspan(begin, std::min(kAtOnce, samples.size() - begin)))) return false;
  }
  return true;
}

std::vector<data::Picture> pictures_of(std::span<const data::PictureSample> samples) {
  std::vector<data::Picture> pictures;
  for (const data::PictureSample& sample : samples) pictures.push_back(sample.picture);
  return pictures;
}

// Sums exp of the entropy of rows of weights.
struct PlacesRead {
  double sum = 0;
  int64_t rows = 0;

  void add(const Tensor& weights) {  // [H, T, places]
    const int64_t places = weights.dim(-1), count = weights.size() / places;
    for (int64_t r = 0; r < count; ++r) {
      double entropy = 0;
      for (const float a :
           weights.span<float>().subspan(static_cast<size_t>(r * places), static_cast<size_t>(places)))
        if (a > 0) entropy -= static_cast<double>(a) * std::log(static_cast<double>(a));
      sum += std::exp(entropy);
    }
    rows += count;
  }
};

}  // namespace

std::optional<int64_t> count_right(const run::PictureEncoder& model,
                                   std::span<const data::PictureSample> pictures,
                                   const std::function<bool()>& stop) {
  int64_t right = 0;
  const bool done = in_batches(pictures, stop, [&](std::span<const data::PictureSample> some) {
    const std::vector<decode::LabelValues> found = decode::classify_pictures(model, pictures_of(some));
    for (size_t i = 0; i < some.size(); ++i) right += model.info().labels[found[i].best()] == some[i].text;
    return true;
  });
  if (!done) return {};
  return right;
}

std::optional<CaptionQuality> measure_captions(const run::LoadedDecoder& model,
                                               std::span<const data::PictureSample> scenes,
                                               const std::function<bool()>& stop) {
  const run::DecoderInfo& info = model.decoder->info();
  decode::CaptionOptions options;
  options.search.look = decode::look_at_source();
  options.batch = kAtOnce;
  std::vector<train::SceneCaption> captions;
  PlacesRead read;
  const bool done = in_batches(scenes, stop, [&](std::span<const data::PictureSample> some) {
    const auto found =
        decode::caption_pictures(model, data::prepared(pictures_of(some), info.input), options, stop);
    for (size_t i = 0; found && i < some.size(); ++i) {
      const decode::Candidate& best = (*found)[i].front();
      captions.push_back({&some[i], best.text, best.weights, info.grid});
      if (best.weights.defined()) read.add(best.weights);
    }
    return found.has_value();
  });
  if (!done) return {};
  CaptionQuality quality;
  quality.pictures = static_cast<int64_t>(captions.size());
  quality.meaning = train::meaning_of(captions);
  quality.pointing = train::pointing_of(captions);
  quality.places = read.sum / static_cast<double>(std::max<int64_t>(1, read.rows));
  return quality;
}

}  // namespace fovea::study
