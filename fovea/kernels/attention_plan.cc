#include "fovea/kernels/attention_plan.h"

#include "fovea/base/parallel.h"

namespace fovea::kernels {
namespace {

constexpr int64_t kTasksWanted = 16;  // enough to keep a few threads busy to the end
constexpr int64_t kMostCopied = int64_t{16}
                                << 20;  // numbers in all copies of dq together, but for two copies

}  // namespace

AttentionPlan::AttentionPlan(const AttentionSize& n, const AttentionMask<float>& mask,
                             const AttentionGrads<float>& grads, int64_t chunk_unit, Scratch& scratch)
    : n_(n), mask_(mask), grads_(grads) {
  joins_batch_ = grads.mask.bias && mask.bias_batch == 0;
  joins_heads_ = grads.mask.bias && mask.bias_head == 0;
  groups_ = (joins_batch_ ? 1 : n.B) * (joins_heads_ ? 1 : n.G);
  const int64_t units = std::max<int64_t>(1, (n.S + chunk_unit - 1) / chunk_unit);
  const int64_t size = std::max<int64_t>(1, n.B * n.H * n.T * n.D);
  const int64_t affordable = std::max<int64_t>(2, kMostCopied / size);
  const int64_t useful = (kTasksWanted + groups_ - 1) / std::max<int64_t>(1, groups_);
  const int64_t wanted = std::clamp<int64_t>(std::min(useful, affordable), 1, units);
  chunk_keys_ = (units + wanted - 1) / wanted * chunk_unit;
  chunks_ = std::max<int64_t>(1, (n.S + chunk_keys_ - 1) / chunk_keys_);

  const int64_t slots = chunks_ * n.B * n.H;
  auto zeros = [&](int64_t size) {
    float* x = scratch.take<float>(size);
    std::fill_n(x, size, 0.0f);
    return x;
  };
  if (chunks_ > 1 && grads.dq.data) dq_ = scratch.take<float>(slots * n.T * n.D);
  if (grads.mask.centre) centre_ = zeros(slots * n.T);
  if (grads.mask.diagonal) diagonal_ = zeros(slots * (n.T + n.S - 1));
  if (grads.du) u_ = zeros(slots * n.D);
}

void AttentionPlan::finish(int64_t u_head) const {
  if (dq_) {
    parallel_ranges(n_.B * n_.H * n_.T, 256, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const int64_t i = r % n_.T, h = r / n_.T % n_.H, b = r / n_.T / n_.H;
        float* to = grads_.dq.at(b, h, i);
        std::copy_n(dq(0, b, h, i), n_.D, to);
        for (int64_t chunk = 1; chunk < chunks_; ++chunk) {
          const float* part = dq(chunk, b, h, i);
          for (int64_t d = 0; d < n_.D; ++d) to[d] += part[d];
        }
      }
    });
  }
  auto add = [](const float* part, int64_t size, float* to) {
    for (int64_t x = 0; x < size; ++x) to[x] += part[x];
  };
  for (int64_t chunk = 0; chunk < chunks_; ++chunk)
    for (int64_t b = 0; b < n_.B; ++b)
      for (int64_t h = 0; h < n_.H; ++h) {
        if (centre_)
          add(centre(chunk, b, h), n_.T, grads_.mask.centre + b * mask_.centre_batch + h * mask_.centre_head);
        if (diagonal_)
          add(diagonal(chunk, b, h), n_.T + n_.S - 1, grads_.mask.diagonal + h * mask_.diagonal_head);
        if (u_) add(u(chunk, b, h), n_.D, grads_.du + h * u_head);
      }
}

}  // namespace fovea::kernels
