// How each model of the table of models is made ready to run. To add one: run/NAME.{h,cc} and a row in table.cc.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "fovea/run/decoder.h"
#include "fovea/run/encoder.h"
#include "fovea/run/weights.h"

namespace fovea::run {

struct RunnerKind {
  std::string_view model;  // its row in models/table.h
  std::unique_ptr<Runner> (*make)(const nlohmann::json& config, Weights& weights, Precision precision);
};

// The model that `config` describes, with these weights.
std::unique_ptr<Runner> make_runner(const nlohmann::json& config, Weights& weights, Precision precision);

}  // namespace fovea::run
