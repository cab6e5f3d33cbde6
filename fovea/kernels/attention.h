// Attention without the matrix of weights. For batch b, head h, query i and keys j:
//
//   e[i,j] = score(q_i, k_j) + bias[b,h,i,j] + diagonal[h, j - i + T - 1]        for the keys that i may see
//   p[i,:] = softmax over those keys                       all zeros where i sees no key
//   w[i,j] = p[i,j] * gauss[i,j] * keep[i,j]               gauss and keep are 1 unless asked for
//   out[i] = sum_j w[i,j] v_j
//   max[i] = log2 e * the largest e[i,j]                    -inf where i sees no key
//   sum[i] = sum_j exp2(log2 e * e[i,j] - max[i])           0 where i sees no key
//
// Scores are of the type of the inputs: a bias of -1e9 rounds off what q and k say, in f32. score is scale * q.k (DotAttention) or u.tanh(q + k) (AdditiveAttention); the choices of nn/scores come
// down to one of the two. Extra memory grows with T + S, not with T * S. A row's result does not depend on
// other rows, on the batch or on threads. Query heads h share the key/value heads: head h reads key/value
// head h / (H / G).
#pragma once

#include <cstdint>

namespace fovea::kernels {

// B batch, T queries, S keys, H query heads, G key/value heads, D width of q and k, M width of v. G divides
// H.
struct AttentionSize {
  int64_t B = 1, T = 1, S = 1, H = 1, G = 1, D = 1, M = 1;
};

// Vectors indexed by (batch, head, row); strides are in elements, the vector itself is contiguous.
template <typename T>
struct HeadRows {
  T* data = nullptr;
  int64_t batch = 0, head = 0, row = 0;
  T* at(int64_t b, int64_t h, int64_t i) const { return data + b * batch + h * head + i * row; }
};

// What query i of (b, h) sees. A null pointer leaves that part out. A stride of 0 shares along that axis.
template <typename T>
struct AttentionMask {
  // Visible keys are [first, last), both within [0, S]; contiguous in i.
  const int32_t *first = nullptr, *last = nullptr;
  int64_t range_batch = 0, range_head = 0;
  // Not 0: visible. Contiguous in j.
  const uint8_t* visible = nullptr;
  int64_t visible_batch = 0, visible_head = 0, visible_row = 0;
  // Added to the score. Contiguous in j.
  const T* bias = nullptr;
  int64_t bias_batch = 0, bias_head = 0, bias_row = 0;
  // Added to the score by distance: T + S - 1 numbers a head (of H), the one for j - i = 0 at T - 1.
  const T* diagonal = nullptr;
  int64_t diagonal_head = 0;
  // gauss[i,j] = exp(-(j - centre[b,h,i])^2 / (2 sigma^2)), contiguous in i.
  const T* centre = nullptr;
  int64_t centre_batch = 0, centre_head = 0;
  T sigma = 1;
  // keep[b,h,i,j] is 0 with probability `dropout`, else 1 / (1 - dropout): a function of (seed, step, b, h,
  // i, j) alone.
  float dropout = 0;
  uint64_t seed = 0, step = 0;
};

// Gradients of the mask's numbers, laid out as in the mask; backward adds to them. Null: not wanted.
template <typename T>
struct AttentionMaskGrads {
  T *bias = nullptr, *diagonal = nullptr, *centre = nullptr;
};

// score = scale * q.k
template <typename T>
struct DotAttention {
  AttentionSize size;
  T scale = 1;
  HeadRows<const T> q, k, v;
  AttentionMask<T> mask;
};

// score = u.tanh(q + k), with u one vector of D a query head.
template <typename T>
struct AdditiveAttention {
  AttentionSize size;
  HeadRows<const T> q, k, v;
  const T* u = nullptr;
  int64_t u_head = 0;
  AttentionMask<T> mask;
};

// What rebuilds the softmax of each row: p = exp2(log2 e * e - max) / sum, [B, H, T] each. They stay apart because their log-sum-exp
// loses the sum where every score of a row is near -1e9 or lower, as masks written as biases make them.
template <typename T>
struct SoftmaxRows {
  T *max = nullptr, *sum = nullptr;
};

// out: rows of M for each (b, h, i).
void attention_forward(const DotAttention<float>&, HeadRows<float> out, SoftmaxRows<float> rows);
void attention_forward(const DotAttention<double>&, HeadRows<double> out, SoftmaxRows<double> rows);
void attention_forward(const AdditiveAttention<float>&, HeadRows<float> out, SoftmaxRows<float> rows);
void attention_forward(const AdditiveAttention<double>&, HeadRows<double> out, SoftmaxRows<double> rows);

// What backward needs, and where it goes. dq, dk and dv are written (null data: not wanted), or with add_keys dk and dv are added
// to: for queries that come one after the other. dq has H heads, dk and dv have G. du (additive; [H, D] by u_head) is
// added to.
template <typename T>
struct AttentionGrads {
  HeadRows<const T> out, dout;
  SoftmaxRows<const T> rows;
  HeadRows<T> dq, dk, dv;
  bool add_keys = false;
  T* du = nullptr;
  AttentionMaskGrads<T> mask;
};
void attention_backward(const DotAttention<float>&, const AttentionGrads<float>&);
void attention_backward(const DotAttention<double>&, const AttentionGrads<double>&);
void attention_backward(const AdditiveAttention<float>&, const AttentionGrads<float>&);
void attention_backward(const AdditiveAttention<double>&, const AttentionGrads<double>&);

// The weights p * gauss of rows [begin, end) of one (b, h), rebuilt from max and sum: w is [end - begin, S]. Dropout
// is left out: it is noise of training, not where the model looked.
void attention_weights(const DotAttention<float>&, SoftmaxRows<const float> rows, int64_t b, int64_t h,
                       int64_t begin, int64_t end, float* w);
void attention_weights(const DotAttention<double>&, SoftmaxRows<const double> rows, int64_t b, int64_t h,
                       int64_t begin, int64_t end, double* w);
void attention_weights(const AdditiveAttention<float>&, SoftmaxRows<const float> rows, int64_t b, int64_t h,
                       int64_t begin, int64_t end, float* w);
void attention_weights(const AdditiveAttention<double>&, SoftmaxRows<const double> rows, int64_t b, int64_t h,
                       int64_t begin, int64_t end, double* w);

// keep[b,h,i,j] for keys j in [begin, end): 0 or 1 / (1 - dropout). Key j takes word j % 4 of the Philox
// block at position
// ((b * H + h) * T + i) * ceil(S / 4) + j / 4.
void attention_dropout_row(const AttentionSize&, float dropout, uint64_t seed, uint64_t step, int64_t b,
                           int64_t h, int64_t i, int64_t begin, int64_t end, float* keep);

// Plain loops, sums in double: the oracle, and what f64 runs on. Backward and weights make max and sum again in double: those of `rows`
// only say which rows see nothing.
namespace ref {
template <typename A, typename T>
void attention_forward(const A& a, HeadRows<T> out, SoftmaxRows<T> rows);
template <typename A, typename T>
void attention_backward(const A& a, const AttentionGrads<T>& g);
template <typename A, typename T>
void attention_weights(const A& a, SoftmaxRows<const T> rows, int64_t b, int64_t h, int64_t begin,
                       int64_t end, T* w);
}  // namespace ref

}  // namespace fovea::kernels
