// Batches of pictures with labels or captions.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fovea/data/batches.h"
#include "fovea/data/picture_set.h"
#include "fovea/data/pictures/augment.h"
#include "fovea/data/pictures/input.h"
#include "fovea/data/tokenizer.h"

namespace fovea::data {

// Fills in what is to be said: target_in, target_out, target_lengths, target_tokens.
using Targets = std::function<void(std::span<const std::string> texts, Batch& batch)>;
// Classes i32 [B, 1] in target_out. A label that is not among these throws, and names it.
Targets label_targets(const std::vector<std::string>& labels);
// Tokens, <sos> before them and <eos> after them. The tokenizer must outlive it.
Targets caption_targets(const Tokenizer& tokenizer);

struct PictureBatches {
  int64_t rows = 64;  // pictures of a batch; the last of an epoch may have fewer
  uint64_t seed = 1;  // of their order and of augmentation
  PictureInput input = {};
  Augment augment = {};
};

// Some pictures of an epoch as a batch. Their augmentation is a function of (seed, epoch, index).
Batch picture_batch(const PictureSet& set, int64_t epoch, std::span<const int64_t> which,
                    const PictureBatches& options, const Targets& targets);

// Every picture of an epoch once, in a new order each time. The set must outlive it.
class PictureStream final : public BatchStream {
 public:
  PictureStream(const PictureSet& set, const PictureBatches& options, Targets targets, Position at = {});
  int64_t epoch_size() const override { return (set_.size() + options_.rows - 1) / options_.rows; }

 private:
  Batch batch_at(const Position& position) override;
  void begin_epoch(int64_t epoch) override;

  const PictureSet& set_;
  PictureBatches options_;
  Targets targets_;
  std::vector<int64_t> order_;
};

}  // namespace fovea::data
