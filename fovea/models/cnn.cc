#include "fovea/models/cnn.h"

#include "fovea/autograd/pooling.h"
#include "fovea/models/label_cost.h"
#include "fovea/models/options_json.h"
#include "fovea/nn/noise.h"

namespace fovea::models {

double CnnOptions::least_weights() const {
  return ConvOptions::least_weights(channels) +
         static_cast<double>(out()) * static_cast<double>(labels.size());
}

void CnnOptions::check() const {
  check_picture("cnn");
  check_conv("cnn", picture_size);
  check_labels("cnn", labels);
  check_weights("cnn", least_weights(), "conv_channels, conv_stages or conv_depth");
  fovea::check(dropout >= 0 && dropout < 1, "cnn", "a dropout of {}: expected 0 to below 1", dropout);
}

nlohmann::json to_json(const CnnOptions& options) { return options_to_json(options, "cnn"); }

CnnOptions cnn_options_from(const nlohmann::json& config) {
  const auto options = options_from_json<CnnOptions>(config, "cnn");
  options.check();
  return options;
}

Cnn::Cnn(const CnnOptions& options, uint64_t seed) : options_(options), seed_(seed) {
  options_.check();
  Random random(seed, 1);
  encoder_.emplace(options.channels, options, random);
  classifier_.emplace(options.out(), static_cast<int64_t>(options.labels.size()), true, random);
}

nlohmann::json Cnn::config() const { return to_json(options_); }

nn::ParameterList Cnn::parameters() {
  nn::ParameterList list;
  encoder_->collect("encoder.", list);
  classifier_->collect("classifier.", list);
  return list;
}

std::vector<NamedTensor> Cnn::buffers() {
  std::vector<NamedTensor> list;
  encoder_->collect_buffers("encoder.", list);
  return list;
}

Cost Cnn::cost(const data::Batch& batch, const CostOptions& options) {
  const nn::Noise noise{options.training ? static_cast<float>(options_.dropout) : 0, seed_, options.step};
  const Var grid = (*encoder_)(Var(batch.pictures), options.training);
  return cost_of_labels((*classifier_)(noise.on(autograd::global_average_pool(grid), 0)), batch, options);
}

}  // namespace fovea::models
