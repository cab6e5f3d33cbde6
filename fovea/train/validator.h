// Validation: how good a model is on pairs that it does not learn from.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fovea/data/dataset.h"
#include "fovea/data/pair.h"
#include "fovea/models/model_dir.h"
#include "fovea/train/loop.h"
#include "fovea/train/settings.h"

namespace fovea::train {

// Translations of lines, in their order; nothing where it was told to stop.
using Translate = std::function<std::optional<std::vector<std::string>>(std::span<const std::string>,
                                                                        const StopRequested&)>;

// By --valid-beam, with batches like those of training.
Translate translate_with(const models::Model& model, const Settings& settings);

class Validator {
 public:
  // Pairs with an empty side count for the metrics of text and not for the cross-entropy. Sources of more than --max-length tokens are
  // cut for the one, and pairs with a side like that left out of the other.
  Validator(const models::Model& model, std::span<const data::Pair> pairs, const Settings& settings,
            Translate translate);

  // What the cross-entropy is measured on.
  const data::DatasetReport& report() const { return data_.report(); }

  // One value for each of --valid-metrics; nothing where it was told to stop.
  std::optional<std::vector<double>> operator()(const StopRequested& stop) const;

 private:
  std::optional<double> cross_entropy(const StopRequested& stop) const;

  std::shared_ptr<models::Net> net_;
  data::Dataset data_;
  data::BatchOptions batches_;
  std::vector<std::string> metrics_, sources_, references_;
  Translate translate_;
};

}  // namespace fovea::train
