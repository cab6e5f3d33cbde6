#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/kernels/attention.h"

namespace fovea::kernels {

void attention_dropout_row(const AttentionSize& n, float dropout, uint64_t seed, uint64_t step, int64_t b,
                           int64_t h, int64_t i, int64_t begin, int64_t end, float* keep) {
  const int64_t row = ((b * n.H + h) * n.T + i) * ((n.S + 3) / 4);
  const float kept = 1.0f / (1.0f - dropout);
  for (int64_t j = begin; j < end;) {
    const auto words = philox(seed, step, static_cast<uint64_t>(row + j / 4));
    for (const int64_t stop = (j / 4 + 1) * 4; j < end && j < stop; ++j)
      keep[j - begin] = uniform_of(words[static_cast<size_t>(j % 4)]) < dropout ? 0.0f : kept;
  }
}

namespace ref {
namespace {

template <typename T>
double score(const DotAttention<T>& a, int64_t b, int64_t h, int64_t i, int64_t j) {
  const T* q = a.q.at(b, h, i);
  const T* k = a.k.at(b, h / (a.size.H / a.size.G), j);
  double sum = 0;
  for (int64_t d = 0; d < a.size.D; ++d) sum += static_cast<double>(q[d]) * k[d];
  return sum * a.scale;
}

template <typename T>
double score(const AdditiveAttention<T>& a, int64_t b, int64_t h, int64_t i, int64_t j) {
  const T* q = a.q.at(b, h, i);
  const T* k = a.k.at(b, h / (a.size.H / a.size.G), j);
  const T* u = a.u + h * a.u_head;
  double sum = 0;
  for (int64_t d = 0; d < a.size.D; ++d) sum += u[d] * std::tanh(static_cast<double>(q[d]) + k[d]);
  return sum;
}

// Carries d loss / d e[i,j] to q, k and what the score is made of.
template <typename T>
void score_backward(const DotAttention<T>& a, const AttentionGrads<T>& g, int64_t b, int64_t h, int64_t i,
                    int64_t j, double de) {
  const int64_t kv = h / (a.size.H / a.size.G);
  for (int64_t d = 0; d < a.size.D; ++d) {
    if (g.dq.data) g.dq.at(b, h, i)[d] += static_cast<T>(de * a.scale * a.k.at(b, kv, j)[d]);
    if (g.dk.data) g.dk.at(b, kv, j)[d] += static_cast<T>(de * a.scale * a.q.at(b, h, i)[d]);
  }
}

template <typename T>
void score_backward(const AdditiveAttention<T>& a, const AttentionGrads<T>& g, int64_t b, int64_t h,
                    int64_t i, int64_t j, double de) {
  const int64_t kv = h / (a.size.H / a.size.G);
  for (int64_t d = 0; d < a.size.D; ++d) {
    const double t = std::tanh(static_cast<double>(a.q.at(b, h, i)[d]) + a.k.at(b, kv, j)[d]);
    const double inner = de * a.u[h * a.u_head + d] * (1 - t * t);
    if (g.dq.data) g.dq.at(b, h, i)[d] += static_cast<T>(inner);
    if (g.dk.data) g.dk.at(b, kv, j)[d] += static_cast<T>(inner);
    if (g.du) g.du[h * a.u_head + d] += static_cast<T>(de * t);
  }
}

// e[i, :], -inf where hidden; a score has the type of its inputs, and so has its sum with a bias.
template <typename A>
void scores_of_row(const A& a, int64_t b, int64_t h, int64_t i, std::vector<double>& e) {
  const auto& m = a.mask;
  const int64_t range = b * m.range_batch + h * m.range_head + i;
  for (int64_t j = 0; j < a.size.S; ++j) {
    const bool seen =
        (!m.first || j >= m.first[range]) && (!m.last || j < m.last[range]) &&
        (!m.visible || m.visible[b * m.visible_batch + h * m.visible_head + i * m.visible_row + j]);
    e[static_cast<size_t>(j)] = -std::numeric_limits<double>::infinity();
    if (!seen) continue;
    auto x = static_cast<std::remove_cvref_t<decltype(m.sigma)>>(score(a, b, h, i, j));
    if (m.bias) x += m.bias[b * m.bias_batch + h * m.bias_head + i * m.bias_row + j];
    if (m.diagonal) x += m.diagonal[h * m.diagonal_head + j - i + a.size.T - 1];
    e[static_cast<size_t>(j)] = x;
  }
}

// The softmax of a row: exp(e - max) / sum.
struct Softmax {
  double max = -std::numeric_limits<double>::infinity(), sum = 0;

  explicit Softmax(const std::vector<double>& e) {
    double poison = 0;  // NaN where any score is
    for (double x : e) {
      max = x > max ? x : max;
      poison += x;
    }
    if (std::isnan(poison)) max = poison;
    for (double x : e) sum += hidden() ? 0 : std::exp(x - max);
  }
  bool hidden() const { return max == -std::numeric_limits<double>::infinity(); }
  double weight(double e) const { return hidden() ? 0 : std::exp(e - max) / sum; }
};

// In units of log 2; what is finite stays finite.
template <typename T>
T max_in_log2(double max) {
  if (std::isinf(max) || std::isnan(max)) return static_cast<T>(max);
  constexpr double kLog2E = 1.4426950408889634, kLowest = std::numeric_limits<T>::lowest();
  return static_cast<T>(std::clamp(max, kLowest / kLog2E, -kLowest / kLog2E) * kLog2E);
}

template <typename A>
double gauss_of(const A& a, int64_t b, int64_t h, int64_t i, int64_t j) {
  const auto& m = a.mask;
  if (!m.centre) return 1;
  const double away = j - static_cast<double>(m.centre[b * m.centre_batch + h * m.centre_head + i]);
  return std::exp(-away * away / (2.0 * m.sigma * m.sigma));
}

template <typename A>
void keep_of_row(const A& a, int64_t b, int64_t h, int64_t i, std::vector<float>& keep) {
  const auto& m = a.mask;
  if (m.dropout > 0)
    attention_dropout_row(a.size, m.dropout, m.seed, m.step, b, h, i, 0, a.size.S, keep.data());
}

template <typename A, typename F>
void for_each_row(const A& a, F&& f) {
  for (int64_t b = 0; b < a.size.B; ++b)
    for (int64_t h = 0; h < a.size.H; ++h)
      for (int64_t i = 0; i < a.size.T; ++i) f(b, h, i);
}

template <typename T>
void zero(const AttentionSize& n, HeadRows<T> x, int64_t heads, int64_t rows, int64_t width) {
  if (!x.data) return;
  for (int64_t b = 0; b < n.B; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t d = 0; d < width; ++d) x.at(b, h, i)[d] = 0;
}

}  // namespace

template <typename A, typename T>
void attention_forward(const A& a, HeadRows<T> out, SoftmaxRows<T> rows) {
  const AttentionSize& n = a.size;
  std::vector<double> e(static_cast<size_t>(n.S)), sum(static_cast<size_t>(n.M));
  std::vector<float> keep(static_cast<size_t>(n.S), 1.0f);
  for_each_row(a, [&](int64_t b, int64_t h, int64_t i) {
    scores_of_row(a, b, h, i, e);
    keep_of_row(a, b, h, i, keep);
    const Softmax softmax(e);
    sum.assign(sum.size(), 0);
    for (int64_t j = 0; j < n.S; ++j) {
      const auto at = static_cast<size_t>(j);
      const double w = softmax.weight(e[at]) * gauss_of(a, b, h, i, j) * keep[at];
      if (w == 0) continue;
      for (int64_t c = 0; c < n.M; ++c) sum[static_cast<size_t>(c)] += w * a.v.at(b, h / (n.H / n.G), j)[c];
    }
    for (int64_t c = 0; c < n.M; ++c) out.at(b, h, i)[c] = static_cast<T>(sum[static_cast<size_t>(c)]);
    const int64_t row = (b * n.H + h) * n.T + i;
    rows.max[row] = max_in_log2<T>(softmax.max);
    rows.sum[row] = static_cast<T>(softmax.sum);
  });
}

template <typename A, typename T>
void attention_backward(const A& a, const AttentionGrads<T>& g) {
  const AttentionSize& n = a.size;
  const auto& m = a.mask;
  zero(n, g.dq, n.H, n.T, n.D);
  if (!g.add_keys) {
    zero(n, g.dk, n.G, n.S, n.D);
    zero(n, g.dv, n.G, n.S, n.M);
  }
  std::vector<double> e(static_cast<size_t>(n.S));
  std::vector<float> keep(static_cast<size_t>(n.S), 1.0f);
  for_each_row(a, [&](int64_t b, int64_t h, int64_t i) {
    const int64_t kv = h / (n.H / n.G);
    const T* dout = g.dout.at(b, h, i);
    double delta = 0;  // sum_j w[i,j] dw[i,j]
    for (int64_t c = 0; c < n.M; ++c) delta += static_cast<double>(dout[c]) * g.out.at(b, h, i)[c];
    scores_of_row(a, b, h, i, e);
    keep_of_row(a, b, h, i, keep);
    const Softmax softmax(e);
    for (int64_t j = 0; j < n.S; ++j) {
      const auto at = static_cast<size_t>(j);
      if (e[at] == -std::numeric_limits<double>::infinity()) continue;
      const double p = softmax.weight(e[at]), factor = gauss_of(a, b, h, i, j) * keep[at];
      double dw = 0;
      for (int64_t c = 0; c < n.M; ++c) dw += static_cast<double>(dout[c]) * a.v.at(b, kv, j)[c];
      if (g.dv.data)
        for (int64_t c = 0; c < n.M; ++c) g.dv.at(b, kv, j)[c] += static_cast<T>(p * factor * dout[c]);
      const double de = p * (dw * factor - delta);
      score_backward(a, g, b, h, i, j, de);
      if (g.mask.bias)
        g.mask.bias[b * m.bias_batch + h * m.bias_head + i * m.bias_row + j] += static_cast<T>(de);
      if (g.mask.diagonal) g.mask.diagonal[h * m.diagonal_head + j - i + n.T - 1] += static_cast<T>(de);
      if (g.mask.centre) {
        const int64_t c = b * m.centre_batch + h * m.centre_head + i;
        g.mask.centre[c] +=
            static_cast<T>(p * factor * dw * (j - static_cast<double>(m.centre[c])) / (m.sigma * m.sigma));
      }
    }
  });
}

template <typename A, typename T>
void attention_weights(const A& a, SoftmaxRows<const T>, int64_t b, int64_t h, int64_t begin, int64_t end,
                       T* w) {
  std::vector<double> e(static_cast<size_t>(a.size.S));
  for (int64_t i = begin; i < end; ++i) {
    scores_of_row(a, b, h, i, e);
    const Softmax softmax(e);
    for (int64_t j = 0; j < a.size.S; ++j) {
      const double x = e[static_cast<size_t>(j)];
      const bool hidden = x == -std::numeric_limits<double>::infinity();
      *w++ = hidden ? T{0} : static_cast<T>(softmax.weight(x) * gauss_of(a, b, h, i, j));
    }
  }
}

template void attention_forward(const DotAttention<float>&, HeadRows<float>, SoftmaxRows<float>);
template void attention_forward(const AdditiveAttention<float>&, HeadRows<float>, SoftmaxRows<float>);
template void attention_backward(const DotAttention<float>&, const AttentionGrads<float>&);
template void attention_backward(const AdditiveAttention<float>&, const AttentionGrads<float>&);
template void attention_weights(const DotAttention<float>&, SoftmaxRows<const float>, int64_t, int64_t,
                                int64_t, int64_t, float*);
template void attention_weights(const AdditiveAttention<float>&, SoftmaxRows<const float>, int64_t, int64_t,
                                int64_t, int64_t, float*);

}  // namespace ref

void attention_forward(const DotAttention<double>& a, HeadRows<double> out, SoftmaxRows<double> rows) {
  ref::attention_forward(a, out, rows);
}
void attention_forward(const AdditiveAttention<double>& a, HeadRows<double> out, SoftmaxRows<double> rows) {
  ref::attention_forward(a, out, rows);
}
void attention_backward(const DotAttention<double>& a, const AttentionGrads<double>& g) {
  ref::attention_backward(a, g);
}
void attention_backward(const AdditiveAttention<double>& a, const AttentionGrads<double>& g) {
  ref::attention_backward(a, g);
}
void attention_weights(const DotAttention<double>& a, SoftmaxRows<const double> rows, int64_t b, int64_t h,
                       int64_t begin, int64_t end, double* w) {
  ref::attention_weights(a, rows, b, h, begin, end, w);
}
void attention_weights(const AdditiveAttention<double>& a, SoftmaxRows<const double> rows, int64_t b,
                       int64_t h, int64_t begin, int64_t end, double* w) {
  ref::attention_weights(a, rows, b, h, begin, end, w);
}

}  // namespace fovea::kernels
