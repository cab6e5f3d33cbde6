// Attention over [B, H, L, D] arrays, and additive attention over [B, T, E]. Causal work counts as half,
// backward as 2.5 times forward, a window as the keys it sees.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "fovea/cli/bench_cases.h"
#include "fovea/kernels/attention.h"

namespace fovea::cli {
namespace {

using kernels::AttentionGrads;
using kernels::AttentionSize;
using kernels::HeadRows;

constexpr int64_t kEveryKey = std::numeric_limits<int32_t>::max();
constexpr double kForwardAndBackward = 3.5;
// tanh and its derivative, the products with u and the sums: near 50 vector instructions an element, forward
// and backward together, each in the place of an FMA.
constexpr double kFlopsOfAdditiveElement = 100;

enum class Pass { kForward, kForwardWeights, kForwardBackward, kForwardBackwardWeights };
bool runs_backward(Pass pass) {
  return pass == Pass::kForwardBackward || pass == Pass::kForwardBackwardWeights;
}
bool looks(Pass pass) { return pass == Pass::kForwardWeights || pass == Pass::kForwardBackwardWeights; }

// Which keys a query sees: not after itself where causal, and at a distance of at most `window`.
struct Sight {
  bool causal = false;
  int64_t window = kEveryKey;
};

// Inputs, results and gradients of one attention; A is DotAttention<float> or AdditiveAttention<float>.
template <typename A>
struct AttentionRun {
  A attention;
  Tensor q, k, v, u, out, rows, dout, dq, dk, dv, du, weights;
  std::vector<int32_t> first, last;
  AttentionGrads<float> grads;

  AttentionRun(const AttentionSize& size, const Sight& sight, Pass pass) {
    const int64_t queries = size.B * size.H * size.T, keys = size.B * size.H * size.S;
    q = normal_numbers(queries * size.D, 1);
    k = normal_numbers(keys * size.D, 2);
    v = normal_numbers(keys * size.M, 3);
    out = Tensor::zeros({queries * size.M});
    rows = Tensor::zeros({2, queries});
    attention.size = size;
    attention.q = {q.data<float>(), size.H * size.T * size.D, size.T * size.D, size.D};
    attention.k = {k.data<float>(), size.H * size.S * size.D, size.S * size.D, size.D};
    attention.v = {v.data<float>(), size.H * size.S * size.M, size.S * size.M, size.M};
    see(sight);
    if (looks(pass)) weights = Tensor::zeros({size.B * size.T * size.S});
    if (!runs_backward(pass)) return;
    dout = normal_numbers(queries * size.M, 4);
    dq = Tensor::zeros({q.size()});
    dk = Tensor::zeros({k.size()});
    dv = Tensor::zeros({v.size()});
    grads.out = read(out_rows());
    grads.dout = {dout.data<float>(), size.H * size.T * size.M, size.T * size.M, size.M};
    grads.rows = {softmax_rows().max, softmax_rows().sum};
    grads.dq = {dq.data<float>(), attention.q.batch, attention.q.head, attention.q.row};
    grads.dk = {dk.data<float>(), attention.k.batch, attention.k.head, attention.k.row};
    grads.dv = {dv.data<float>(), attention.v.batch, attention.v.head, attention.v.row};
  }

  kernels::SoftmaxRows<float> softmax_rows() const {
    return {rows.data<float>(), rows.data<float>() + rows.dim(1)};
  }
  HeadRows<float> out_rows() {
    const AttentionSize& size = attention.size;
    return {out.data<float>(), size.H * size.T * size.M, size.T * size.M, size.M};
  }
  static HeadRows<const float> read(const HeadRows<float>& rows) {
    return {rows.data, rows.batch, rows.head, rows.row};
  }

  // Query i stands at key S - T + i.
  void see(const Sight& sight) {
    if (!sight.causal && sight.window == kEveryKey) return;
    const AttentionSize& size = attention.size;
    for (int64_t i = 0; i < size.T; ++i) {
      const int64_t at = size.S - size.T + i;
      first.push_back(static_cast<int32_t>(std::max<int64_t>(0, at - sight.window)));
      last.push_back(static_cast<int32_t>(std::min(size.S, at + 1 + (sight.causal ? 0 : sight.window))));
    }
    attention.mask.first = first.data();
    attention.mask.last = last.data();
  }

  void forward() { kernels::attention_forward(attention, out_rows(), softmax_rows()); }
  void backward() {
    if (du.defined()) du.fill(0);  // which backward adds to
    kernels::attention_backward(attention, grads);
  }
  // Of head 0 of every sentence.
  void look() {
    const AttentionSize& size = attention.size;
    for (int64_t b = 0; b < size.B; ++b)
      kernels::attention_weights(attention, grads.rows, b, 0, 0, size.T,
                                 weights.data<float>() + b * size.T * size.S);
  }
};

template <typename A>
std::function<void()> one_run(std::shared_ptr<AttentionRun<A>> run, Pass pass) {
  return [run = std::move(run), pass] {
    run->forward();
    if (runs_backward(pass)) run->backward();
    if (looks(pass)) run->look();
  };
}

// scale * q.k with scale = 1 / sqrt(D).
BenchCase dot(std::string_view kind, int64_t B, int64_t H, int64_t L, int64_t D, Sight sight, Pass pass) {
  double pairs = static_cast<double>(L) * static_cast<double>(L);  // of query and visible key, in one head
  if (sight.causal) pairs /= 2;
  if (sight.window < L) {
    pairs = 0;
    for (int64_t i = 0; i < L; ++i) pairs += static_cast<double>(std::min(i, sight.window) + 1);
  }
  const double forward = 4e-9 * static_cast<double>(B * H * D) * pairs;
  return {.name = fmt::format("{}/{}x{}x{}x{}", kind, B, H, L, D),
          .gflop = runs_backward(pass) ? kForwardAndBackward * forward : forward,
          .setup = [=] {
            const AttentionSize size{.B = B, .T = L, .S = L, .H = H, .G = H, .D = D, .M = D};
            auto run = std::make_shared<AttentionRun<kernels::DotAttention<float>>>(size, sight, pass);
            run->attention.scale = 1.0f / std::sqrt(static_cast<float>(D));
            return one_run(std::move(run), pass);
          }};
}

// u.tanh(q + k), one head.
BenchCase additive(std::string_view kind, int64_t B, int64_t T, int64_t S, int64_t E) {
  const double elements = 1e-9 * static_cast<double>(B * T * S * E);
  return {.name = fmt::format("{}/{}x{}x{}x{}", kind, B, T, S, E),
          .gflop = kFlopsOfAdditiveElement * elements,
          .setup =
              [=] {
                const AttentionSize size{.B = B, .T = T, .S = S, .H = 1, .G = 1, .D = E, .M = E};
                constexpr auto kPass = Pass::kForwardBackward;
                auto run =
                    std::make_shared<AttentionRun<kernels::AdditiveAttention<float>>>(size, Sight{}, kPass);
                run->u = normal_numbers(E, 5);
                run->du = Tensor::zeros({E});
                run->attention.u = run->u.data<float>();
                run->attention.u_head = E;
                run->grads.du = run->du.data<float>();
                return one_run(std::move(run), kPass);
              },
          .gelements = elements};
}

}  // namespace

std::vector<BenchCase> attention_cases() {
  constexpr Sight kFull, kCausal{.causal = true}, kWindow{.causal = true, .window = 256};
  using enum Pass;
  std::vector<BenchCase> cases = {
      dot("causal_fwd", 2, 8, 1024, 64, kCausal, kForward),
      dot("causal_fwd", 1, 8, 4096, 64, kCausal, kForward),
      dot("causal_fwd_look", 2, 8, 1024, 64, kCausal, kForwardWeights),
      dot("full_fwd", 8, 8, 128, 64, kFull, kForward),
      dot("causal_fwd_bwd", 2, 8, 1024, 64, kCausal, kForwardBackward),
      dot("causal_fwd_bwd", 1, 8, 4096, 64, kCausal, kForwardBackward),
      dot("causal_fwd_bwd_weights", 2, 8, 1024, 64, kCausal, kForwardBackwardWeights),
      additive("additive_fwd_bwd", 64, 30, 30, 256),
      additive("additive_fwd_bwd", 16, 100, 100, 512),
      dot("window256_fwd", 1, 8, 16384, 64, kWindow, kForward),
      dot("causal_fwd", 1, 8, 16384, 64, kCausal, kForward),
      dot("long_causal_fwd", 1, 8, 100000, 64, kCausal, kForward),
  };
  cases.back().is_long = true;
  return cases;
}

}  // namespace fovea::cli
