#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fovea/kernels/attend_cached.h"

namespace fovea::kernels::ref {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

double score_of(const AttendCached& a, int64_t i, int64_t h, const float* keys) {
  const int64_t D = a.keys.width;
  const float *q = a.q + i * a.q_stride + h * D, *k = keys + h / (a.H / a.keys.heads) * D;
  double e = 0;
  if (a.score == CachedScore::kDot) {
    for (int64_t c = 0; c < D; ++c) e += static_cast<double>(q[c]) * k[c];
    return a.scale * e;
  }
  const float* u = a.u + h * a.u_stride;
  for (int64_t c = 0; c < D; ++c) e += u[c] * std::tanh(static_cast<double>(q[c]) + k[c]);
  return e;
}

// e of tokens [first, last); a NaN among those it sees makes all of them NaN.
std::vector<double> scores_of(const AttendCached& a, int64_t i, int64_t h, int64_t first, int64_t last) {
  std::vector<double> e;
  std::vector<float> keys(static_cast<size_t>(a.keys.heads * a.keys.width));
  for (int64_t j = first; j < last; ++j) {
    const double bias = a.bias && a.bias[i] ? a.bias[i][h * a.bias_stride + j] : 0;
    double score = 0;
    if (a.score != CachedScore::kGiven && bias != kHidden) {
      ref::read_cached_keys(a.keys, a.key_pages[i], j, j + 1, keys.data(), 0);
      score = score_of(a, i, h, keys.data());
    }
    e.push_back(score + bias);
  }
  if (std::any_of(e.begin(), e.end(), [](double x) { return std::isnan(x); }))
    std::fill(e.begin(), e.end(), std::numeric_limits<double>::quiet_NaN());
  return e;
}

// The weights of e, in place; zeros where everything is hidden.
void weigh(std::vector<double>& e, bool hard) {
  const auto top = std::max_element(e.begin(), e.end());
  if (top == e.end() || *top == kHidden) return std::fill(e.begin(), e.end(), 0.0);
  if (hard && !std::isnan(*top)) {
    const auto at = top - e.begin();
    std::fill(e.begin(), e.end(), 0.0);
    e[static_cast<size_t>(at)] = 1;
    return;
  }
  const double most = *top;
  double sum = 0;
  for (double& x : e) sum += x = std::exp(x - most);
  for (double& x : e) x /= sum;
}

}  // namespace

void attend_cached(const AttendCached& a) {
  const int64_t M = a.values.width;
  std::vector<float> values(static_cast<size_t>(a.values.heads * M));
  for (int64_t i = 0; i < a.queries; ++i) {
    for (int64_t h = 0; h < a.H; ++h) {
      const int64_t first = a.first ? a.first[i] : 0, last = a.last[i];
      std::vector<double> w = scores_of(a, i, h, first, last), sum(static_cast<size_t>(M));
      weigh(w, a.hard);
      for (int64_t j = first; j < last; ++j) {
        double& x = w[static_cast<size_t>(j - first)];
        if (a.factor && a.factor[i]) x *= a.factor[i][h * a.factor_stride + j];
        if (x == 0) continue;
        ref::read_cached_values(a.values, a.value_pages[i], j, j + 1, values.data(), 0);
        const float* v = values.data() + h / (a.H / a.values.heads) * M;
        for (int64_t c = 0; c < M; ++c) sum[static_cast<size_t>(c)] += x * v[c];
      }
      std::copy(sum.begin(), sum.end(), a.out + i * a.out_stride + h * M);
      if (!a.weights) continue;
      float* row = a.weights + (i * a.H + h) * a.weights_stride;
      std::fill_n(row, last, 0.0f);
      std::copy(w.begin(), w.end(), row + std::min(first, last));
    }
  }
}

}  // namespace fovea::kernels::ref
