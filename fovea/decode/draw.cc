#include "fovea/decode/draw.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/random.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/softmax.h"

namespace fovea::decode {

double draw_position(uint64_t seed, int64_t line, int64_t position) {
  const auto bits = philox(seed, static_cast<uint64_t>(line), static_cast<uint64_t>(position));
  return static_cast<double>((uint64_t{bits[0]} << 21) ^ (bits[1] >> 11)) * 0x1p-53;
}

Drawn draw(std::span<const float> logits, const Sampling& sampling, std::span<const int32_t> hidden,
           double u) {
  const auto size = static_cast<int64_t>(logits.size());
  Scratch scratch;
  auto* log_probs = scratch.take<float>(size);
  auto* p = scratch.take<float>(size);
  kernels::log_softmax_rows(logits.data(), log_probs, 1, size);
  std::copy_n(log_probs, size, p);
  for (const int32_t id : hidden) p[id] = -std::numeric_limits<float>::infinity();
  const float max = *std::max_element(p, p + size);
  if (!std::isfinite(max)) return {};
  for (int64_t v = 0; v < size; ++v) p[v] = (p[v] - max) / sampling.temperature;
  kernels::softmax_rows(p, p, 1, size);

  auto* begin = scratch.take<int32_t>(size);
  auto* end = begin;
  for (int32_t v = 0; v < size; ++v)
    if (p[v] > 0) *end++ = v;
  const auto less_probable = [&](int32_t a, int32_t b) { return p[a] < p[b] || (p[a] == p[b] && a > b); };
  const auto mass = [&] {
    double sum = 0;
    for (const int32_t* v = begin; v < end; ++v) sum += static_cast<double>(p[*v]);
    return sum;
  };
  if (sampling.top_k > 0 && sampling.top_k < end - begin) {
    const auto more_probable = [&](int32_t a, int32_t b) { return less_probable(b, a); };
    std::nth_element(begin, begin + sampling.top_k, end, more_probable);
    end = begin + sampling.top_k;
  }
  if (sampling.top_p < 1) {  // a heap gives the most probable ones in order, and few are asked for
    const double wanted = mass() * static_cast<double>(sampling.top_p);
    std::make_heap(begin, end, less_probable);
    double sum = 0;
    auto* rest = end;
    while (rest > begin && sum < wanted) {
      std::pop_heap(begin, rest--, less_probable);
      sum += static_cast<double>(p[*rest]);
    }
    begin = rest;
  }
  if (sampling.min_p > 0) {
    float most = 0;
    for (const int32_t* v = begin; v < end; ++v) most = std::max(most, p[*v]);
    end = std::remove_if(begin, end, [&](int32_t v) { return p[v] < sampling.min_p * most; });
  }
  std::sort(begin, end);  // an order that no library's heap decides

  const double wanted = mass() * u;
  double sum = 0;
  const int32_t* token = begin;
  for (; token + 1 < end; ++token)
    if ((sum += static_cast<double>(p[*token])) > wanted) break;
  return {*token, log_probs[*token]};
}

}  // namespace fovea::decode
