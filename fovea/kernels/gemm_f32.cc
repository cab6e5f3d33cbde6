#include <dnnl.h>
#include <omp.h>

#include <algorithm>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/gemm.h"
#include "fovea/kernels/packed.h"
#include "fovea/kernels/transpose.h"

namespace fovea::kernels {
namespace {

struct Product {
  bool ta, tb;
  int64_t m, n, k;
  float alpha;
  const float* a;
  int64_t lda;
  const float* b;
  int64_t ldb;
  float beta;
  float* c;
  int64_t ldc;
  const float* bias = nullptr;  // with beta 1: C starts as bias in every row
};

// While it lives, oneDNN on this thread uses this thread only.
class OneThread {
 public:
  OneThread() : before_(omp_in_parallel() ? 0 : omp_get_max_threads()) {
    if (before_) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// C *= beta, for a product without terms.
void scale_rows(const Product& p) {
  for (int64_t i = 0; i < p.m; ++i)
    for (int64_t j = 0; j < p.n; ++j) p.c[i * p.ldc + j] = p.beta == 0 ? 0 : p.c[i * p.ldc + j] * p.beta;
}

// oneDNN works on matrices as they lie, rather than on packed copies, where its packing would not pay.
bool unpacked(int64_t m, int64_t n) {
  return 1.0 / static_cast<double>(m) + 1.0 / static_cast<double>(n) >= 0.0038;
}

// Rows [i, i + m) and columns [j, j + n) of C, on this thread.
void run_block(const Product& p, int64_t i, int64_t j, int64_t m, int64_t n) {
  OneThread one_thread;
  if (p.bias)
    for (int64_t r = i; r < i + m; ++r) std::copy_n(p.bias + j, n, p.c + r * p.ldc + j);
  const float* a = p.a + i * (p.ta ? 1 : p.lda);
  int64_t lda = p.lda;
  bool ta = p.ta;
  // Walking down the columns of A that way is slow (a third of the speed where lda is a large power of two).
  if (ta && n >= 48 && p.lda >= 128 && unpacked(m, n)) {
    thread_local std::vector<float> turned;
    lda = p.k + (p.k % 256 == 0 ? 16 : 0);
    if (turned.size() < static_cast<size_t>(m * lda)) turned.resize(static_cast<size_t>(m * lda));
    transpose(a, p.lda, turned.data(), lda, p.k, m);
    a = turned.data();
    ta = false;
  }
  const dnnl_status_t status =
      dnnl_sgemm(ta ? 'T' : 'N', p.tb ? 'T' : 'N', m, n, p.k, p.alpha, a, lda, p.b + j * (p.tb ? p.ldb : 1),
                 p.ldb, p.beta, p.c + i * p.ldc + j, p.ldc);
  check(status == dnnl_success, "gemm", "oneDNN refused {} x {} x {} (status {})", m, n, p.k,
        static_cast<int>(status));
}

// About what a product costs, in hundredths of a nanosecond of one core: arithmetic, and the memory it passes
// over.
int64_t cost(int64_t m, int64_t n, int64_t k) { return 2 * m * n * k + 8 * (m * k + k * n + m * n); }

constexpr int64_t kWorthAThread = 1'500'000;  // 15 microseconds; waking the threads costs a few

// The size of blocks of C. Large blocks reach oneDNN's best speed and small ones keep every core busy to the
// end; measured (2 cores): 512 x 1024 loses nothing, and 4 blocks are enough to share evenly.
struct Blocks {
  Blocks(int64_t m, int64_t n, int64_t k)
      : rows(std::min<int64_t>(m, 512)), cols(std::min<int64_t>(n, 1024)) {
    while (count(m, n) < 4 && cost(rows, cols, k) >= 2 * kWorthAThread) {
      if (rows >= cols / 2 && rows >= 32)
        rows = half(rows);
      else if (cols >= 64)
        cols = half(cols);
      else
        break;
    }
    // Blocks of one size, rather than a rest at the end; and where they are few, no odd one that a thread has to do alone.
    cols = even(n, cols);
    rows = even(m, rows);
    if (rows > 16 && count(m, n) % 2 == 1 && count(m, n) > 1 && count(m, n) < 16) rows = even(m, rows - 16);
  }
  int64_t count(int64_t m, int64_t n) const { return ((m + rows - 1) / rows) * ((n + cols - 1) / cols); }
  static int64_t half(int64_t size) { return (size / 2 + 15) / 16 * 16; }
  static int64_t even(int64_t size, int64_t block) {
    const int64_t blocks = (size + block - 1) / block;
    return std::min(size, ((size + blocks - 1) / blocks + 15) / 16 * 16);
  }

  int64_t rows, cols;
};

// Whether to pack B first and run on our own kernel (packed.h). Measured: it is a fifth faster than oneDNN where there are rows
// enough to pay for the packing, and A, B and C lie in the caches.
bool packing_pays(const Product& p) {
  return p.alpha == 1 && p.m >= 48 && p.n >= 32 && p.k >= 16 && p.m * p.n * p.k >= 1 << 18 &&
         p.m * p.k + p.k * p.n + p.m * p.n <= 3 << 19;
}

void run_packed(const Product& p) {
  Scratch scratch;
  auto* packed = scratch.take<float>(packed_size(p.k, p.n));
  pack(p.tb, p.k, p.n, p.b, p.ldb, packed);
  gemm_packed(p.ta, p.m, p.n, p.k, p.a, p.lda, packed, p.bias, p.bias ? 0 : p.beta, p.c, p.ldc);
}

void run(const Product& p) {
  if (packing_pays(p)) return run_packed(p);
  const Blocks blocks(p.m, p.n, p.k);
  const int64_t across = (p.n + blocks.cols - 1) / blocks.cols;
  parallel_for(blocks.count(p.m, p.n), [&](int64_t block) {
    const int64_t i = block / across * blocks.rows, j = block % across * blocks.cols;
    run_block(p, i, j, std::min(blocks.rows, p.m - i), std::min(blocks.cols, p.n - j));
  });
}

}  // namespace

void gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
          const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  if (m <= 0 || n <= 0) return;
  const Product p{ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
  k == 0 ? scale_rows(p) : run(p);
}

void gemm_bias(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
               int64_t ldb, const float* bias, float* c, int64_t ldc) {
  if (m <= 0 || n <= 0) return;
  if (k == 0) {
    for (int64_t i = 0; i < m; ++i) std::copy_n(bias, n, c + i * ldc);
    return;
  }
  run({ta, tb, m, n, k, 1, a, lda, b, ldb, 1, c, ldc, bias});
}

void gemm_batched(bool ta, bool tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
                  const float* b, int64_t ldb, float beta, float* c, int64_t ldc, int64_t batch,
                  int64_t stride_a, int64_t stride_b, int64_t stride_c) {
  if (m <= 0 || n <= 0) return;
  const auto product = [&](int64_t i) {
    return Product{
        ta, tb, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb, beta, c + i * stride_c, ldc};
  };
  if (k == 0) {
    for (int64_t i = 0; i < batch; ++i) scale_rows(product(i));
    return;
  }
  // Small products: several to a block of work. Larger ones: one each, whole, unless there are too few to
  // share.
  const int64_t one = cost(m, n, k);
  if (one < kWorthAThread || (batch >= 4 && m <= 512 && n <= 1024)) {
    parallel_ranges(batch, std::max<int64_t>(1, kWorthAThread / one), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) run_block(product(i), 0, 0, m, n);
    });
  } else {
    for (int64_t i = 0; i < batch; ++i) run(product(i));
  }
}

}  // namespace fovea::kernels
