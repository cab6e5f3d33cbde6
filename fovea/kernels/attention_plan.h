// How a backward pass of attention is cut into tasks that run in parallel without sharing what they write,
// the same way for any number of threads.
//
// A task owns the keys of one chunk for a group of (batch, key/value head) pairs, so dk and dv are its alone.
// A query meets every chunk: where there are several, each adds its part of dq to an array of its own, and
// finish() sums them in order. Pairs that share one bias whose gradient is wanted belong to one group, and
// run one after the other.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fovea/base/scratch.h"
#include "fovea/kernels/attention.h"

namespace fovea::kernels {

class AttentionPlan {
 public:
  // Takes memory from `scratch`, which must outlive the plan. chunk_unit: chunks are a multiple of so many
  // keys.
  AttentionPlan(const AttentionSize& n, const AttentionMask<float>& mask, const AttentionGrads<float>& grads,
                int64_t chunk_unit, Scratch& scratch);

  int64_t tasks() const { return groups_ * chunks_; }

  // Calls f(b, kv, chunk, first key, last key) for each pair of a task, in order.
  template <typename F>
  void for_each_pair(int64_t task, F&& f) const {
    const int64_t group = task / chunks_, chunk = task % chunks_;
    const int64_t batches = joins_batch_ ? n_.B : 1, heads = joins_heads_ ? n_.G : 1;
    const int64_t first_batch = joins_batch_ ? 0 : group / (joins_heads_ ? 1 : n_.G);
    const int64_t first_head = joins_heads_ ? 0 : group % n_.G;
    for (int64_t b = first_batch; b < first_batch + batches; ++b)
      for (int64_t kv = first_head; kv < first_head + heads; ++kv)
        f(b, kv, chunk, chunk * chunk_keys_, std::min(n_.S, (chunk + 1) * chunk_keys_));
  }

  // Where chunk puts its part of: dq[b,h,i] (D numbers, to be set; null: not wanted), d centre [b,h,:] (to be
  // set), the diagonal's and u's gradients for (b, h) (zeros at the start, to be added to).
  float* dq(int64_t chunk, int64_t b, int64_t h, int64_t i) const {
    if (!grads_.dq.data) return nullptr;
    return dq_ ? dq_ + (slot(chunk, b, h) * n_.T + i) * n_.D : grads_.dq.at(b, h, i);
  }
  float* centre(int64_t chunk, int64_t b, int64_t h) const {
    return centre_ ? centre_ + slot(chunk, b, h) * n_.T : nullptr;
  }
  float* diagonal(int64_t chunk, int64_t b, int64_t h) const {
    return diagonal_ ? diagonal_ + slot(chunk, b, h) * (n_.T + n_.S - 1) : nullptr;
  }
  float* u(int64_t chunk, int64_t b, int64_t h) const { return u_ ? u_ + slot(chunk, b, h) * n_.D : nullptr; }

  // Sums the parts into the gradients. u_head: as in AdditiveAttention.
  void finish(int64_t u_head) const;

 private:
  int64_t slot(int64_t chunk, int64_t b, int64_t h) const { return (chunk * n_.B + b) * n_.H + h; }

  AttentionSize n_;
  AttentionMask<float> mask_;
  AttentionGrads<float> grads_;
  bool joins_batch_, joins_heads_;
  int64_t groups_, chunks_, chunk_keys_;
  float *dq_ = nullptr, *centre_ = nullptr, *diagonal_ = nullptr, *u_ = nullptr;
};

}  // namespace fovea::kernels
