// Attention as one differentiable operation on fused kernels: score, mask, weigh and read without the matrix
// of weights. The formula, and what each part of a mask means, is in fovea/kernels/attention.h. Layout is
// [batch, row, head, width]: what a projection to H * D numbers a row leaves behind, so heads are never moved
// in memory.
#pragma once

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

// A mask for given B, T, S, H. Undefined parts are left out; an axis of size 1 is shared.
struct MaskParts {
  Tensor first = {}, last = {};  // i32 [B, H, T]: query i sees keys first <= j < last
  Tensor visible = {};           // u8 [B, H, T, S]
  Var bias = {};                 // [B, H, T, S], added to scores; S is never 1 unless there is one key
  Var diagonal = {};             // [H, T + S - 1], added by distance: the number for j - i = 0 is at T - 1
  Var centre = {};               // [B, H, T]: weights are multiplied by exp(-(j - centre)^2 / (2 sigma^2))
  double sigma = 1;
  float dropout = 0;  // of the weights; a function of seed, step and position
  uint64_t seed = 0, step = 0;
};

// score(q, k) as one of the two forms that have fused kernels.
struct PairScore {
  Var q, k;          // [B, T, H, D] and [B, S, G, D]; G divides H
  Var u;             // additive: [H or 1, D], u.tanh(q + k). Undefined: scale * q.k
  double scale = 1;  // of the dot product
};

// Queries, keys and values of one sequence, as one projection leaves them behind; the score is scale * q.k.
struct JointHeads {
  Var qkv;  // [B, L, H + 2 G, D]: H heads of queries, G of keys, G of values
  int64_t kv_heads = 1;
  double scale = 1;
};

struct FusedAttention {
  Var context;  // [B, T, H, M]
  Tensor rows;  // [2, B, H, T], maximum and sum of each row's softmax (kernels::SoftmaxRows)
};
// v is [B, S, G, M]. A query that sees no key reads zeros and passes no gradient on. Any two of the inputs may be the same Var.
FusedAttention attention(const PairScore& score, const Var& v, const MaskParts& mask);
FusedAttention attention(const JointHeads& joint, const MaskParts& mask);

// The weights of rows [begin, end) of one head, from the `rows` of that attention, written to w [end - begin, S].
// Not differentiable.
void attention_weights(const PairScore& score, const MaskParts& mask, const Tensor& rows, int64_t batch,
                       int64_t head, int64_t begin, int64_t end, const Tensor& w);
void attention_weights(const JointHeads& joint, const MaskParts& mask, const Tensor& rows, int64_t batch,
                       int64_t head, int64_t begin, int64_t end, const Tensor& w);

}  // namespace fovea::autograd
