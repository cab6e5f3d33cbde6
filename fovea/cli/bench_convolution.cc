// Convolutions of small picture models at batch 64, and every convolution of ResNet-18 (He et al. 2016) at batch 8. Backward gives the
// gradients of input, weights and bias, and counts as twice forward.
#include <fmt/format.h>

#include <cstdint>
#include <memory>

#include "fovea/cli/bench_cases.h"
#include "fovea/kernels/convolution.h"

namespace fovea::cli {
namespace {

struct ConvolutionRun {
  kernels::ConvolutionSize size;
  Tensor x, w, bias, y, dy, dx, dw, db;

  ConvolutionRun(const kernels::ConvolutionSize& s, bool backward) : size(s) {
    const int64_t in = s.B * s.y.size * s.x.size * s.in, out = s.B * s.y.out() * s.x.out() * s.out;
    x = normal_numbers(in, 1);
    w = normal_numbers(s.weights(), 2);
    bias = normal_numbers(s.out, 3);
    y = Tensor::zeros({out});
    if (!backward) return;
    dy = normal_numbers(out, 4);
    dx = Tensor::zeros({in});
    dw = Tensor::zeros({s.weights()});
    db = Tensor::zeros({s.out});
  }
  void forward() {
    kernels::convolution(size, x.data<float>(), w.data<float>(), bias.data<float>(), y.data<float>());
  }
  void backward() {
    kernels::convolution_backward_input(size, w.data<float>(), dy.data<float>(), 0, dx.data<float>());
    kernels::convolution_backward_weights(size, x.data<float>(), dy.data<float>(),
                                          {.dw = dw.data<float>(), .db = db.data<float>()});
  }
};

struct Layer {
  int64_t B, height, width, in, out, kernel, stride, padding, groups = 1;
};

BenchCase convolution(const Layer& l, bool backward) {
  const kernels::ConvolutionSize size{.B = l.B,
                                      .y = {l.height, l.kernel, l.stride, l.padding},
                                      .x = {l.width, l.kernel, l.stride, l.padding},
                                      .in = l.in,
                                      .out = l.out,
                                      .groups = l.groups};
  const double forward =
      2e-9 * static_cast<double>(size.B * size.y.out() * size.x.out()) * static_cast<double>(size.weights());
  return {.name = fmt::format("{}/{}x{}x{}x{}x{}x{}x{}x{}x{}", backward ? "conv_fwd_bwd" : "conv_fwd", l.B,
                              l.height, l.width, l.in, l.out, l.kernel, l.stride, l.padding, l.groups),
          .gflop = backward ? 3 * forward : forward,
          .setup = [=]() -> std::function<void()> {
            auto run = std::make_shared<ConvolutionRun>(size, backward);
            return [run, backward] {
              run->forward();
              if (backward) run->backward();
            };
          }};
}

constexpr Layer kLayers[] = {
    {64, 32, 32, 3, 32, 3, 1, 1},   {64, 32, 32, 32, 32, 3, 1, 1},     {64, 16, 16, 32, 64, 3, 2, 1},
    {64, 16, 16, 64, 64, 3, 1, 1},  {64, 8, 8, 128, 128, 3, 1, 1},     {64, 28, 28, 1, 32, 5, 1, 2},
    {64, 32, 32, 3, 192, 4, 4, 0},  {64, 16, 16, 64, 64, 3, 1, 1, 64}, {8, 224, 224, 3, 64, 7, 2, 3},
    {8, 56, 56, 64, 64, 3, 1, 1},   {8, 56, 56, 64, 128, 3, 2, 1},     {8, 56, 56, 64, 128, 1, 2, 0},
    {8, 28, 28, 128, 128, 3, 1, 1}, {8, 28, 28, 128, 256, 3, 2, 1},    {8, 28, 28, 128, 256, 1, 2, 0},
    {8, 14, 14, 256, 256, 3, 1, 1}, {8, 14, 14, 256, 512, 3, 2, 1},    {8, 14, 14, 256, 512, 1, 2, 0},
    {8, 7, 7, 512, 512, 3, 1, 1},
};

}  // namespace

std::vector<BenchCase> convolution_cases() {
  std::vector<BenchCase> cases;
  for (const Layer& layer : kLayers)
    for (const bool backward : {false, true}) cases.push_back(convolution(layer, backward));
  return cases;
}

}  // namespace fovea::cli
