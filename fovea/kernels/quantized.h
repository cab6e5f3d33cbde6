// Products with weights that are kept in 8 bits, for models that only run: a step of decoding takes as long as reading the weights,
// and these are a quarter of the bytes.
//   C[m,n] = A[m,k] W[n,k]^T + bias[n] + beta * C[m,n],    W[j,p] = scale[j] * q[j,p]
// The rows of A are rounded to 16 bits on the way, far finer than W is:
//   unit[i] = max_p |A[i,p]| / levels,    r[i,p] = nearest(A[i,p] * (levels / max_p |A[i,p]|)), ties to even
//   C[i,j]  = (float(sum_p r[i,p] q[j,p]) * scale[j]) * unit[i] + bias[j] + beta * C[i,j]
// with levels = min(32767, (2^31 - 1) / max_j sum_p |q[j,p]|), so that no sum leaves 32 bits. (For normally distributed weights that
// is 32767 up to a k of some 2,000, and falls with 1 / k from there. The least there can be, where all weights of a row are as large
// as its largest, is 5,504 at a k of 3,072.)
//
// Sums of integers are exact and every other step is one rounded operation, so an element has the same bits on every SIMD target, on
// any number of threads and among any other rows.
//
// At the edges: a row of zeros in A or W counts as zeros, and so does one that has nothing above kQuantizedLeast. A row of A with an
// infinity or a NaN makes its row of C NaN, a row of W its column.
#pragma once

#include <atomic>
#include <cstdint>

namespace fovea::kernels {

inline constexpr float kQuantizedLeast = 1e-30f;

// What a file holds: q[n,k] in [-127, 127] and scale[n] = max_p |W[j,p]| / 127. Rows of w are ldw apart, those of q are k apart.
void quantize_rows(int64_t n, int64_t k, const float* w, int64_t ldw, int8_t* q, float* scale);

// What the product reads: `levels` and the scales, and then panels of kQuantizedPanel rows of W, each [k / 2, kQuantizedPanel, 2];
// an odd k and the last panel are filled up with zeros. It begins at a multiple of 64 bytes.
inline constexpr int64_t kQuantizedPanel = 32;
struct QuantizedLayout {
  int64_t panels, panel_bytes;
  constexpr QuantizedLayout(int64_t n, int64_t k)
      : panels((n + kQuantizedPanel - 1) / kQuantizedPanel), panel_bytes((k + k % 2) * kQuantizedPanel) {}
  // Where the parts begin, and where the last one ends.
  static constexpr int64_t scales() { return 64; }
  constexpr int64_t panel(int64_t i) const {
    return scales() + panels * kQuantizedPanel * static_cast<int64_t>(sizeof(float)) + i * panel_bytes;
  }
  constexpr int64_t bytes() const { return panel(panels); }
};
constexpr int64_t quantized_size(int64_t n, int64_t k) { return QuantizedLayout(n, k).bytes(); }

// One row of it: writes q[k] and returns its scale.
float quantize_row(int64_t k, const float* w, int8_t* q);

// Packs panel by panel, from integers and scales wherever they come from. pack() may be called from several threads, once for each
// panel; then finish(), once.
class QuantizedPacker {
 public:
  QuantizedPacker(int64_t n, int64_t k, int8_t* packed);
  int64_t panels() const { return layout_.panels; }
  // q [rows of the panel, k] (which may also have -128), scale [rows of the panel].
  void pack(int64_t panel, const int8_t* q, const float* scale);
  void finish();

 private:
  int64_t n_, k_;
  QuantizedLayout layout_;
  int8_t* packed_;
  std::atomic<int64_t> largest_{1};  // sum of the absolute values of a row
};

// From what a file holds (where q may also have -128), or straight from W.
void pack_quantized(int64_t n, int64_t k, const int8_t* q, const float* scale, int8_t* packed);
void pack_quantized(int64_t n, int64_t k, const float* w, int64_t ldw, int8_t* packed);

// C is not read where beta is 0. `bias` may be null. C overlaps nothing else.
void gemm_quantized(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const int8_t* packed,
                    const float* bias, float beta, float* c, int64_t ldc);

namespace ref {
// The same bits.
void gemm_quantized(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const int8_t* packed,
                    const float* bias, float beta, float* c, int64_t ldc);
}  // namespace ref

}  // namespace fovea::kernels
