// Convolutions by 3 x 3 in fewer multiplications (Winograd's minimal filtering; Lavin and Gray 2016). Four outputs, 2 x 2, come from
// inputs d and the kernel g by
//   Y = A^T [ (G g G^T) * (B^T d B) ] A
// where * is element by element. Over channels, each place of it is a matrix product.
//
// Stride 1, from 4 x 4 inputs: 16 products in place of 36.
//   B^T = 1  0 -1  0    G = 1    0    0    A^T = 1  1  1  0
//         0  1  1  0        1/2  1/2  1/2        0  1 -1 -1
//         0 -1  1  0        1/2 -1/2  1/2
//         0  1  0 -1        0    0    1
// Stride 2, from 5 x 5 inputs: the outer taps read every second input, two outputs of which take 3 products; the middle tap takes one each.
// 25 products in place of 36.
//   B^T = 1  0 -1  0  0    G = 1  0  0    A^T = 1  1  0  1  0
//         0  0  1  0  0        1  0  1          0  1 -1  0  1
//         0  0  1  0 -1        0  0  1
//         0  1  0  0  0        0  1  0
//         0  0  0  1  0        0  1  0
// Sums and differences of few numbers: the error is about twice that of the plain sum.
#pragma once

#include "fovea/kernels/convolution.h"

namespace fovea::kernels {

// Whether it is faster. Depends on the size of one picture only, so that a picture's result does not depend on the others of a batch.
bool winograd_pays(const ConvolutionSize& size);
bool winograd_backward_pays(const ConvolutionSize& size);

// As convolution() and convolution_backward_input(), for sizes where it pays.
void winograd(const ConvolutionSize& size, const float* x, const float* w, const float* bias, float* y);
void winograd_backward_input(const ConvolutionSize& size, const float* w, const float* dy, float beta,
                             float* dx);

// The three changes of basis, on one thread; places are `place` floats apart. A stride of 1 has 4 x 4 inputs and places, 2 has 5 x 5.
inline constexpr int64_t winograd_side(int64_t stride) { return 3 + stride; }
// to[places][n] = G g G^T of 3 x 3 kernels of n channels, g[(3 u + v) tap ..]; `reversed`: of the kernel turned by 180 degrees.
void winograd_weights(int64_t stride, const float* g, int64_t tap, int64_t n, bool reversed, float* to,
                      int64_t place);
// to[places][C] = B^T d B of the pixels at d, whose rows are `row` floats apart and pixels C.
void winograd_input(int64_t stride, const float* d, int64_t row, int64_t C, float* to, int64_t place);
// A^T m A -> 2 x 2 pixels (or fewer: rows x cols), y = bias + beta y + ..; n channels.
struct WinogradOutput {
  float* y;
  int64_t row, pixel;  // floats between rows and pixels of y
  int64_t rows, cols;  // 1 or 2
  const float* bias;   // null: none
  float beta;
};
void winograd_output(int64_t stride, const float* m, int64_t place, int64_t n, const WinogradOutput& to);

}  // namespace fovea::kernels
