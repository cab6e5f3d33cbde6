// How much a gradient depends on what is drawn while a model learns, such as the places that hard attention reads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "fovea/data/batch.h"
#include "fovea/models/net.h"

namespace fovea::study {

// Gradients g_1 .. g_n of all parameters for the mean cost of a token, of the same weights and the same batch with other draws.
struct GradientNoise {
  double variance = 0;  // the trace of their covariance, 1 / (n - 1) sum_k |g_k - m|^2, where m is their mean
  double squared_mean = 0;  // |m|^2

  double ratio() const { return squared_mean > 0 ? variance / squared_mean : 0; }
};

// Weights and buffers are afterwards what they were. Nothing where `stop`, asked before each gradient, says so.
std::optional<GradientNoise> gradient_noise(models::Net& net, const data::Batch& batch, int64_t draws,
                                            const std::function<bool()>& stop = {});

}  // namespace fovea::study
