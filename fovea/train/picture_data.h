// The pictures that a run learns from and is validated on.
#pragma once

#include "fovea/data/picture_batches.h"
#include "fovea/data/picture_set.h"
#include "fovea/train/settings.h"

namespace fovea::train {

struct PictureData {
  data::PictureSetPtr train, valid;  // valid is null where there is nothing to validate on
  bool held_out = false;             // valid was taken out of the training pictures

  uint64_t fingerprint() const { return train->fingerprint(); }
  uint32_t valid_checksum() const { return valid ? static_cast<uint32_t>(valid->fingerprint()) : 0; }
  // "training on 10,000 pictures; validation on 500"
  std::string summary(const Settings& settings) const;
};

// From the built-in corpus or from the files that the settings name.
PictureData load_pictures(const Settings& settings);
// Where there is nothing to validate on, --valid-split takes that share of the training pictures.
void hold_out(PictureData& data, const Settings& settings);

// Batches of training pictures for a model that sees them so.
data::PictureBatches training_batches(const Settings& settings, const data::PictureInput& input);
// The batches of a set in its order, without augmentation: calls f(batch) until it returns false.
void for_each_valid_batch(const data::PictureSet& set, const Settings& settings,
                          const data::PictureInput& input, const data::Targets& targets,
                          const std::function<bool(const data::Batch&)>& f);

}  // namespace fovea::train
