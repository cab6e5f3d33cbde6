// What a validation can measure. To add one: a row in valid_metrics.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fovea/train/scene_metrics.h"

namespace fovea::train {

struct ValidMetric {
  const char* name;
  const char* what;
  bool lower_is_better;
  // Of translations against references, 0 to 100. Null: a function of the cross-entropy instead.
  double (*of_text)(std::span<const std::string> hypotheses, std::span<const std::string> references);
  double (*of_cross_entropy)(double mean);  // of a word
  double (*of_scenes)(std::span<const SceneCaption>) =
      nullptr;              // instead of both: of captions of --corpus scenes
  bool of_choices = false;  // instead of both: how often the most probable word or label was the right one
  bool of_gaze = false;     // instead of both: how far from the middle of what is to be found an eye ends
};
std::span<const ValidMetric> valid_metric_table();
// Throws for an unknown name, and names the nearest.
const ValidMetric& valid_metric_named(std::string_view name);

// Whether `value` beats `best`; a value that is not a number never does.
bool is_better(const ValidMetric& metric, double value, double best);

}  // namespace fovea::train
