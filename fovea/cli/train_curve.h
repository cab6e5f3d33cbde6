// OUT/curve.svg: cost and validation against updates, drawn from OUT/metrics.jsonl.
#pragma once

#include <string>
#include <string_view>

#include "fovea/look/plot.h"
#include "fovea/train/listener.h"

namespace fovea::cli {

// Of the lines of a metrics.jsonl: the cost of training and of validation in one chart, each other metric in one of its own. Lines that are
// no JSON are passed over. No charts where there is nothing to draw.
look::Plot training_curve(std::string_view metrics, const std::string& title);

// Draws it anew after each validation, and when told. A curve that cannot be written is no reason to stop a run.
class CurveWriter : public train::Listener {
 public:
  explicit CurveWriter(std::string out) : out_(std::move(out)) {}

  void validated(const train::RunState&, const train::Validation&) override { draw(); }
  void draw() const;

 private:
  std::string out_;
};

}  // namespace fovea::cli
