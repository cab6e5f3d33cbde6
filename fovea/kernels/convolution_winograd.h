// Convolutions by 3 x 3 with stride 1 in fewer multiplications (Winograd's F(2 x 2, 3 x 3); Lavin and Gray 2016). Four outputs, 2 x 2, come
// from 4 x 4 inputs d and the kernel g by
//   Y = A^T [ (G g G^T) * (B^T d B) ] A
// where * is element by element: 16 products in place of 36. Over channels, each of the 16 places is a matrix product.
//   B^T = 1  0 -1  0    G = 1    0    0    A^T = 1  1  1  0
//         0  1  1  0        1/2  1/2  1/2        0  1 -1 -1
//         0 -1  1  0        1/2 -1/2  1/2
//         0  1  0 -1        0    0    1
// Sums and differences of few numbers: the error is about twice that of the plain sum.
#pragma once

#include "fovea/kernels/convolution.h"
#include "fovea/kernels/sliding.h"

namespace fovea::kernels {

inline constexpr int64_t kWinogradPlaces = 16;

// Whether it is faster. Depends on the size of one picture only, so that a picture's result does not depend on the others of a batch.
bool winograd_pays(const ConvolutionSize& size);

// As convolution() and convolution_backward_input(), for sizes where winograd_pays().
void winograd(const ConvolutionSize& size, const float* x, const float* w, const float* bias, float* y);
void winograd_backward_input(const ConvolutionSize& size, const float* w, const float* dy, float beta,
                             float* dx);

// The three changes of basis, on one thread; places are `place` floats apart.
// to[16][n] = G g G^T of 3 x 3 kernels of n channels, g[(3 u + v) C ..]; `reversed`: of the kernel turned by 180 degrees.
void winograd_weights(const float* g, int64_t C, int64_t n, bool reversed, float* to, int64_t place);
// to[16][C] = B^T d B of the 4 x 4 pixels at d, whose rows are `row` floats apart and pixels C.
void winograd_input(const float* d, int64_t row, int64_t C, float* to, int64_t place);
// A^T m A -> 2 x 2 pixels (or fewer: rows x cols), y = bias + beta y + ..; n channels.
struct WinogradOutput {
  float* y;
  int64_t row, pixel;  // floats between rows and pixels of y
  int64_t rows, cols;  // 1 or 2
  const float* bias;   // null: none
  float beta;
};
void winograd_output(const float* m, int64_t place, int64_t n, const WinogradOutput& to);

}  // namespace fovea::kernels
