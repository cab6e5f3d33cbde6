// Rows for autograd/normalise.h and autograd/norm.h.
#pragma once

#include "fovea/autograd/norm.h"
#include "fovea/autograd/normalise.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> normalise_cases() {
  return {
      {"softmax",
       [](const auto& in) { return autograd::softmax(in[0]); },
       {{{3, 5}}, {{1, 1}}, {{7, 129}}, {{2, 3, 4}}, {{0, 5}}, {{5, 0}}, {{6}}},
       {{{512, 128}}, {{16, 32000}}}},
      {"log_softmax",
       [](const auto& in) { return autograd::log_softmax(in[0]); },
       {{{3, 5}}, {{1, 1}}, {{7, 129}}, {{2, 3, 4}}, {{0, 5}}, {{5, 0}}, {{6}}},
       {{{512, 128}}, {{16, 32000}}}},
      {"layer_norm",
       [](const auto& in) { return autograd::layer_norm(in[0], in[1], in[2]); },
       {{{3, 5}, {5}, {5}},
        {{1, 3}, {3}, {3}},
        {{7, 67}, {67}, {67}},
        {{2, 3, 4}, {4}, {4}},
        {{0, 5}, {5}, {5}},
        {{6}, {6}, {6}}},
       {{{700, 128}, {128}, {128}}, {{9, 8200}, {8200}, {8200}}}},
      {"layer_norm_without_bias",
       [](const auto& in) { return autograd::layer_norm(in[0], in[1], Var()); },
       {{{3, 5}, {5}}},
       {{{700, 128}, {128}}}},
      {"rms_norm",
       [](const auto& in) { return autograd::rms_norm(in[0], in[1]); },
       {{{3, 5}, {5}}, {{1, 2}, {2}}, {{7, 67}, {67}}, {{2, 3, 4}, {4}}, {{0, 5}, {5}}},
       {{{700, 128}, {128}}, {{9, 8200}, {8200}}}},
      {"residual_layer_norm",
       [](const auto& in) { return autograd::residual_layer_norm(in[0], in[1], in[2], in[3]).normed; },
       {{{3, 5}, {3, 5}, {5}, {5}}, {{2, 3, 4}, {2, 3, 4}, {4}, {4}}},
       {{{700, 128}, {700, 128}, {128}, {128}}}},
      {"residual_layer_norm_sum",
       [](const auto& in) { return autograd::residual_layer_norm(in[0], in[1], in[2], in[3]).sum; },
       {{{3, 5}, {3, 5}, {5}, {5}}}},
      {"residual_rms_norm",
       [](const auto& in) { return autograd::residual_rms_norm(in[0], in[1], in[2]).normed; },
       {{{3, 5}, {3, 5}, {5}}, {{7, 67}, {7, 67}, {67}}},
       {{{700, 128}, {700, 128}, {128}}}},
      {"residual_norm_of_residual_norm",  // the sum has two users, and so has its gradient
       [](const auto& in) {
         const auto first = autograd::residual_layer_norm(in[0], in[1], in[2], in[3]);
         const auto second = autograd::residual_rms_norm(first.normed, first.sum, in[2]);
         return autograd::residual_layer_norm(second.normed, second.sum, in[2], in[3]).normed;
       },
       {{{3, 5}, {3, 5}, {5}, {5}}}},
  };
}

}  // namespace fovea::testing
