#pragma once

#include "fovea/autograd/channel_norm.h"
#include "fovea/autograd/convolution.h"
#include "fovea/autograd/pooling.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> pictures_cases() {
  using namespace autograd;
  const auto convolve = [](ConvolutionOptions options) {
    return [=](auto& in) { return convolution(in[0], in[1], in[2], options); };
  };
  const auto resized = [](int64_t height, int64_t width, Resampling kind) {
    return [=](auto& in) { return resample(in[0], height, width, kind); };
  };
  return {
      {"convolution",
       convolve({.padding = 1}),
       {{{1, 2, 3, 2}, {2, 3, 2, 2}, {2}},
        {{1, 1, 1, 1}, {1, 1, 1, 1}, {1}},
        {{2, 1, 1, 3}, {4, 3, 3, 3}, {4}},
        {{1, 4, 5, 17}, {18, 3, 3, 17}, {18}},
        {{0, 3, 3, 2}, {4, 3, 3, 2}, {4}}},
       {{{8, 16, 15, 32}, {48, 3, 3, 32}, {48}}, {{8, 24, 24, 3}, {32, 5, 5, 3}, {32}}}},
      {"convolution_strided",
       convolve({.stride = 2, .padding = 1}),
       {{{1, 4, 3, 2}, {3, 2, 2, 2}, {3}},
        {{2, 5, 6, 2}, {3, 3, 3, 2}, {3}},
        {{1, 4, 4, 9}, {4, 1, 1, 9}, {4}}},
       {{{8, 16, 16, 32}, {64, 3, 3, 32}, {64}}}},
      {"convolution_dilated",
       convolve({.stride = 2, .padding = 2, .dilation = 3}),
       {{{1, 3, 4, 2}, {2, 2, 2, 2}, {2}}, {{2, 7, 6, 9}, {4, 3, 2, 9}, {4}}}},
      {"convolution_grouped",
       convolve({.padding = 1, .groups = 2}),
       {{{1, 2, 2, 4}, {4, 2, 1, 2}, {4}}, {{2, 3, 4, 6}, {4, 3, 3, 3}, {4}}},
       {{{4, 14, 14, 32}, {48, 3, 3, 16}, {48}}}},
      {"convolution_depthwise",
       convolve({.stride = 1, .padding = 1, .groups = 3}),
       {{{1, 2, 2, 3}, {3, 2, 2, 1}, {3}},
        {{2, 5, 9, 3}, {3, 3, 3, 1}, {3}},
        {{1, 3, 2, 3}, {6, 3, 3, 1}, {6}}}},
      {"convolution_without_bias",
       [](auto& in) { return convolution(in[0], in[1], Var(), {.stride = 2}); },
       {{{1, 3, 4, 2}, {2, 1, 2, 2}}, {{2, 4, 4, 3}, {4, 2, 2, 3}}},
       {{{16, 32, 32, 3}, {48, 4, 4, 3}}}},
      {"patches",
       [](auto& in) { return patches(in[0], 2); },
       {{{1, 4, 2, 2}}, {{2, 4, 6, 3}}, {{0, 2, 2, 1}}}},
      {"max_pool",
       [](auto& in) { return max_pool(in[0], {.kernel = 2}); },
       {{{1, 4, 3, 2}}, {{2, 5, 4, 3}}, {{0, 2, 2, 1}}},
       {{{16, 32, 32, 32}}},
       {distinct()}},
      {"max_pool_overlapping",
       [](auto& in) { return max_pool(in[0], {.kernel = 3, .stride = 2, .padding = 1}); },
       {{{1, 3, 4, 2}}, {{2, 7, 5, 3}}, {{1, 1, 1, 2}}},
       {{{8, 28, 28, 32}}},
       {distinct()}},
      {"average_pool",
       [](auto& in) { return average_pool(in[0], {.kernel = 3, .stride = 2, .padding = 1}); },
       {{{1, 3, 4, 2}}, {{2, 7, 5, 3}}, {{1, 1, 1, 2}}},
       {{{8, 28, 28, 32}}}},
      {"global_average_pool",
       [](auto& in) { return global_average_pool(in[0]); },
       {{{2, 3, 2, 2}}, {{1, 1, 1, 3}}},
       {{{16, 16, 16, 64}}}},
      {"resample_nearest", resized(3, 5, Resampling::kNearest), {{{1, 2, 3, 2}}, {{2, 6, 4, 2}}}},
      {"resample_bilinear",
       resized(5, 3, Resampling::kBilinear),
       {{{1, 3, 2, 2}}, {{2, 4, 9, 2}}, {{1, 1, 1, 3}}}},
      {"resample_bilinear_large",
       resized(40, 40, Resampling::kBilinear),
       {{{1, 2, 2, 1}}},
       {{{8, 20, 20, 32}}}},
      {"batch_norm",
       [](auto& in) { return batch_norm(in[0], in[1], in[2], 1e-2).y; },
       {{{2, 2, 2, 3}, {3}, {3}}, {{5, 1, 3, 2}, {2}, {2}}},
       {{{16, 16, 16, 64}, {64}, {64}}}},
      {"batch_norm_with_given_statistics",
       [](auto& in) {
         const int64_t C = in[0].dim(3);
         return batch_norm(in[0], in[1], in[2], Tensor::full({C}, 0.3, in[0].dtype()),
                           Tensor::full({C}, 1.7, in[0].dtype()));
       },
       {{{2, 2, 2, 3}, {3}, {3}}},
       {{{16, 16, 16, 32}, {32}, {32}}}},
      {"group_norm",
       [](auto& in) { return group_norm(in[0], in[1], in[2], 2, 1e-2); },
       {{{1, 2, 3, 4}, {4}, {4}}, {{3, 3, 1, 6}, {6}, {6}}},
       {{{16, 16, 16, 64}, {64}, {64}}}},
  };
}

}  // namespace fovea::testing
