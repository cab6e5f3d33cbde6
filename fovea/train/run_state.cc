#include "fovea/train/run_state.h"

#include <nlohmann/json.hpp>

#include "fovea/base/error.h"

namespace fovea::train {

nlohmann::json to_json(const RunState& state) {
  nlohmann::json best = nlohmann::json::object();
  for (const auto& [metric, b] : state.best) best[metric] = {{"value", b.value}, {"update", b.update}};
  return {{"update", state.update},
          {"position", {{"epoch", state.position.epoch}, {"batch", state.position.batch}}},
          {"epochs", state.epochs},
          {"batches", state.batches},
          {"sentences", state.sentences},
          {"tokens", state.tokens},
          {"seconds", state.seconds},
          {"shown",
           {{"cross_entropy", state.shown.cross_entropy},
            {"seconds", state.shown.seconds},
            {"tokens", state.shown.tokens}}},
          {"skipped", state.skipped},
          {"skipped_in_a_row", state.skipped_in_a_row},
          {"valid_due", state.valid_due},
          {"validated", state.validated},
          {"best", best},
          {"stalled", state.stalled},
          {"data", state.data},
          {"valid_data", state.valid_data},
          {"settings", to_json(state.settings)}};
}

RunState state_from(const nlohmann::json& json, std::string_view source) {
  RunState state;
  try {
    json.at("update").get_to(state.update);
    json.at("position").at("epoch").get_to(state.position.epoch);
    json.at("position").at("batch").get_to(state.position.batch);
    json.at("epochs").get_to(state.epochs);
    json.at("batches").get_to(state.batches);
    json.at("sentences").get_to(state.sentences);
    json.at("tokens").get_to(state.tokens);
    json.at("seconds").get_to(state.seconds);
    json.at("shown").at("cross_entropy").get_to(state.shown.cross_entropy);
    json.at("shown").at("seconds").get_to(state.shown.seconds);
    json.at("shown").at("tokens").get_to(state.shown.tokens);
    json.at("skipped").get_to(state.skipped);
    json.at("skipped_in_a_row").get_to(state.skipped_in_a_row);
    json.at("valid_due").get_to(state.valid_due);
    json.at("validated").get_to(state.validated);
    for (const auto& [metric, best] : json.at("best").items())
      state.best[metric] = {best.at("value").get<double>(), best.at("update").get<int64_t>()};
    json.at("stalled").get_to(state.stalled);
    json.at("data").get_to(state.data);
    json.at("valid_data").get_to(state.valid_data);
    state.settings = settings_from(json.at("settings"), source);
  } catch (const nlohmann::json::exception&) {
    fail("checkpoint",
         "{}: it lacks something that this version of the program needs: was it written by another?", source);
  }
  return state;
}

}  // namespace fovea::train
