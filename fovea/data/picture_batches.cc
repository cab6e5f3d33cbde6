#include "fovea/data/picture_batches.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/parallel.h"
#include "fovea/base/quote.h"
#include "fovea/base/random.h"
#include "fovea/data/make_batch.h"

namespace fovea::data {
namespace {

// Keeps the order of pictures apart from what others draw from the same seed.
constexpr uint64_t kOrderStream = 0x70696330'0000'0000;

}  // namespace

Targets label_targets(const std::vector<std::string>& labels) {
  std::map<std::string, int32_t> classes;
  for (const std::string& label : labels) classes.emplace(label, static_cast<int32_t>(classes.size()));
  return [classes, labels](std::span<const std::string> texts, Batch& batch) {
    const auto rows = static_cast<int64_t>(texts.size());
    batch.target_out = Tensor::empty({rows, 1}, DType::kI32);
    for (int64_t b = 0; b < rows; ++b) {
      const std::string& text = texts[static_cast<size_t>(b)];
      const auto found = classes.find(text);
      if (found == classes.end())
        fail("data", "the label {} is none that training has seen; there are {}", quote(text),
             nearest_first(text, labels));
      batch.target_out.data<int32_t>()[b] = found->second;
    }
    batch.target_tokens = rows;
  };
}

Targets caption_targets(const Tokenizer& tokenizer) {
  return [&tokenizer](std::span<const std::string> texts, Batch& batch) {
    std::vector<std::vector<int32_t>> ids;
    for (const std::string& text : texts) ids.push_back(tokenizer.encode(text));
    const std::vector<std::vector<int32_t>> nothing(ids.size());
    Batch said = make_batch(nothing, ids, tokenizer.special_ids(), tokenizer.special_ids());
    said.source = {};
    said.pictures = std::move(batch.pictures);
    said.lines = std::move(batch.lines);
    batch = std::move(said);
  };
}

Batch picture_batch(const PictureSet& set, int64_t epoch, std::span<const int64_t> which,
                    const PictureBatches& options, const Targets& targets) {
  const auto rows = static_cast<int64_t>(which.size()), numbers = options.input.numbers();
  Batch batch;
  batch.pictures = Tensor::empty({rows, options.input.size, options.input.size, options.input.channels});
  batch.lines.assign(which.begin(), which.end());
  std::vector<std::string> texts(which.size());
  const std::span<float> to = batch.pictures.span<float>();
  parallel_for(rows, [&](int64_t b) {
    const int64_t index = which[static_cast<size_t>(b)];
    PictureSample sample = set.at(epoch, index);
    texts[static_cast<size_t>(b)] = std::move(sample.text);
    Picture picture = fitted(sample.picture, options.input);
    if (options.augment.changes_anything())
      picture = augmented(picture, options.augment, options.seed, static_cast<uint64_t>(epoch),
                          static_cast<uint64_t>(index));
    normalise_into(picture, options.input.normalise,
                   to.subspan(static_cast<size_t>(b * numbers), static_cast<size_t>(numbers)));
  });
  targets(texts, batch);
  return batch;
}

PictureStream::PictureStream(const PictureSet& set, const PictureBatches& options, Targets targets,
                             Position at)
    : BatchStream(at),
      set_(set),
      options_(options),
      targets_(std::move(targets)),
      order_(static_cast<size_t>(set.size())) {
  check_position();
  begin_epoch(at.epoch);
}

void PictureStream::begin_epoch(int64_t epoch) {
  std::iota(order_.begin(), order_.end(), int64_t{0});
  Random random(options_.seed, kOrderStream + static_cast<uint64_t>(epoch));
  for (auto i = static_cast<int64_t>(order_.size()) - 1; i > 0; --i)
    std::swap(order_[static_cast<size_t>(i)], order_[static_cast<size_t>(random.below(i + 1))]);
}

Batch PictureStream::batch_at(const Position& position) {
  const int64_t begin = position.batch * options_.rows, end = std::min(begin + options_.rows, set_.size());
  return picture_batch(
      set_, position.epoch,
      std::span(order_).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)), options_,
      targets_);
}

}  // namespace fovea::data
