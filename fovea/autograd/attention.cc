#include "fovea/autograd/attention.h"

#include <array>

#include "fovea/kernels/attention.h"

namespace fovea::autograd {
namespace {

constexpr const char* kWho = "attention";

// [B, L, heads, width], contiguous.
template <typename T>
kernels::HeadRows<const T> rows_of(const Tensor& x) {
  return {x.data<T>(), x.dim(1) * x.dim(2) * x.dim(3), x.dim(3), x.dim(2) * x.dim(3)};
}
template <typename T>
kernels::HeadRows<T> rows_to(const Tensor& x) {
  if (!x.defined()) return {};
  return {x.data<T>(), x.dim(1) * x.dim(2) * x.dim(3), x.dim(3), x.dim(2) * x.dim(3)};
}

// The distance between neighbours of `axis`; 0 where the axis is shared.
int64_t stride(const Tensor& x, int axis) {
  return x.dim(axis) == 1 ? 0 : x.shape().product(axis + 1, x.rank());
}

kernels::AttentionSize size_of(const PairScore& s, const Tensor& v) {
  if (s.q.rank() != 4 || s.k.rank() != 4 || v.rank() != 4)
    fail(kWho, "query {}, key {}, value {}: expected [batch, row, head, width] each", s.q.shape().str(),
         s.k.shape().str(), v.shape().str());
  const kernels::AttentionSize n = {.B = s.q.dim(0),
                                    .T = s.q.dim(1),
                                    .S = s.k.dim(1),
                                    .H = s.q.dim(2),
                                    .G = s.k.dim(2),
                                    .D = s.q.dim(3),
                                    .M = v.dim(3)};
  if (s.k.dim(0) != n.B || v.dim(0) != n.B || v.dim(1) != n.S || v.dim(2) != n.G || s.k.dim(3) != n.D)
    fail(kWho,
         "query {}, key {} and value {} do not fit each other: expected [B, T, H, D], [B, S, G, D], [B, S, "
         "G, M]",
         s.q.shape().str(), s.k.shape().str(), v.shape().str());
  if (n.G < 1 || n.H % n.G) fail(kWho, "{} key/value heads for {} query heads: expected a divisor", n.G, n.H);
  return n;
}

// x has the given sizes, or 1 where an axis may be shared.
void expect(const char* what, const Tensor& x, std::initializer_list<int64_t> sizes) {
  Shape wanted(sizes);
  bool fits = x.rank() == wanted.rank();
  for (int axis = 0; fits && axis < wanted.rank(); ++axis)
    fits = x.dim(axis) == wanted[axis] || x.dim(axis) == 1;
  if (!fits)
    fail(kWho, "{} of shape {}: expected {}, or 1 for an axis that is shared", what, x.shape().str(),
         wanted.str());
}

template <typename T>
kernels::AttentionMask<T> mask_of(const MaskParts& p, const kernels::AttentionSize& n) {
  kernels::AttentionMask<T> m;
  if (p.first.defined()) {
    expect("first", p.first, {n.B, n.H, n.T});
    if (p.first.dim(2) != n.T || p.last.shape() != p.first.shape())
      fail(kWho, "ranges of shapes {} and {}: expected the same, with {} queries", p.first.shape().str(),
           p.last.shape().str(), n.T);
    for (const Tensor* x : {&p.first, &p.last})
      for (int32_t j : x->span<int32_t>())
        if (j < 0 || j > n.S) fail(kWho, "a range that ends at key {}, of which there are {}", j, n.S);
    m.first = p.first.data<int32_t>();
    m.last = p.last.data<int32_t>();
    m.range_batch = stride(p.first, 0);
    m.range_head = stride(p.first, 1);
  }
  if (p.visible.defined()) {
    expect("visible", p.visible, {n.B, n.H, n.T, n.S});
    if (p.visible.dim(3) != n.S)
      fail(kWho, "a mask over {} keys, of which there are {}", p.visible.dim(3), n.S);
    m.visible = p.visible.data<uint8_t>();
    m.visible_batch = stride(p.visible, 0);
    m.visible_head = stride(p.visible, 1);
    m.visible_row = stride(p.visible, 2);
  }
  if (p.bias.defined()) {
    const Tensor& bias = p.bias.value();
    expect("bias", bias, {n.B, n.H, n.T, n.S});
    if (bias.dim(3) != n.S) fail(kWho, "a bias over {} keys, of which there are {}", bias.dim(3), n.S);
    m.bias = bias.data<T>();
    m.bias_batch = stride(bias, 0);
    m.bias_head = stride(bias, 1);
    m.bias_row = stride(bias, 2);
  }
  if (p.diagonal.defined()) {
    expect("diagonal", p.diagonal.value(), {n.H, n.T + n.S - 1});
    if (p.diagonal.dim(1) != n.T + n.S - 1)
      fail(kWho, "a diagonal of {} numbers: expected {}", p.diagonal.dim(1), n.T + n.S - 1);
    m.diagonal = p.diagonal.value().data<T>();
    m.diagonal_head = stride(p.diagonal.value(), 0);
  }
  if (p.centre.defined()) {
    const Tensor& centre = p.centre.value();
    expect("centre", centre, {n.B, n.H, n.T});
    if (centre.dim(2) != n.T) fail(kWho, "centres for {} queries, of which there are {}", centre.dim(2), n.T);
    m.centre = centre.data<T>();
    m.centre_batch = stride(centre, 0);
    m.centre_head = stride(centre, 1);
    m.sigma = static_cast<T>(p.sigma);
  }
  m.dropout = p.dropout;
  m.seed = p.seed;
  m.step = p.step;
  return m;
}

// Calls f with the kernel's description of this attention: DotAttention or AdditiveAttention, of float or
// double.
template <typename F>
void with_kernel(const PairScore& s, const Tensor& v, const MaskParts& mask, F&& f) {
  const kernels::AttentionSize n = size_of(s, v);
  for_float(s.q.dtype(), kWho, [&](auto zero) {
    using T = decltype(zero);
    if (s.u.defined()) {
      kernels::AdditiveAttention<T> a;
      a.size = n;
      a.q = rows_of<T>(s.q.value());
      a.k = rows_of<T>(s.k.value());
      a.v = rows_of<T>(v);
      expect("u", s.u.value(), {n.H, n.D});
      if (s.u.dim(1) != n.D) fail(kWho, "u of width {}: expected {}", s.u.dim(1), n.D);
      a.u = s.u.value().data<T>();
      a.u_head = stride(s.u.value(), 0);
      a.mask = mask_of<T>(mask, n);
      f(a, zero);
    } else {
      kernels::DotAttention<T> a;
      a.size = n;
      a.scale = static_cast<T>(s.scale);
      a.q = rows_of<T>(s.q.value());
      a.k = rows_of<T>(s.k.value());
      a.v = rows_of<T>(v);
      a.mask = mask_of<T>(mask, n);
      f(a, zero);
    }
  });
}

// An array for the gradient of input i where anybody needs it.
Tensor wanted(const Grads& grads, size_t i, const Tensor& like, bool zeros) {
  if (!grads.wants(i)) return {};
  return zeros ? Tensor::zeros(like.shape(), like.dtype()) : Tensor::empty(like.shape(), like.dtype());
}

}  // namespace

FusedAttention attention(const PairScore& score, const Var& v, const MaskParts& mask) {
  const kernels::AttentionSize n = size_of(score, v.value());
  Tensor out = Tensor::empty({n.B, n.T, n.H, n.M}, v.dtype());
  Tensor lse = Tensor::empty({n.B, n.H, n.T}, v.dtype());
  with_kernel(score, v.value(), mask, [&](const auto& a, auto zero) {
    using T = decltype(zero);
    kernels::attention_forward(a, rows_to<T>(out), lse.data<T>());
  });

  enum : size_t { kQ, kK, kV, kU, kBias, kDiagonal, kCentre };
  const std::array<Var, 7> inputs = {score.q, score.k, v, score.u, mask.bias, mask.diagonal, mask.centre};
  Var context = record(
      "attention", inputs, out, [score, value = v.value(), mask, out, lse](const Tensor& dy, Grads& grads) {
        // Queries that come one by one share their keys: the gradients of those are added up in place.
        const bool one_query = score.q.dim(1) == 1;
        const Tensor dq = wanted(grads, kQ, score.q.value(), false);
        Tensor dk, dv;
        if (one_query) {
          grads.add(kK, [&](Tensor& dx) { dk = dx; });
          grads.add(kV, [&](Tensor& dx) { dv = dx; });
        } else {
          dk = wanted(grads, kK, score.k.value(), false);
          dv = wanted(grads, kV, value, false);
        }
        const Tensor du = wanted(grads, kU, score.u.value(), true);
        const Tensor dbias = wanted(grads, kBias, mask.bias.value(), true);
        const Tensor ddiagonal = wanted(grads, kDiagonal, mask.diagonal.value(), true);
        const Tensor dcentre = wanted(grads, kCentre, mask.centre.value(), true);
        with_kernel(score, value, mask, [&](const auto& a, auto zero) {
          using T = decltype(zero);
          kernels::AttentionGrads<T> g;
          g.out = rows_of<T>(out);
          g.dout = rows_of<T>(dy);
          g.lse = lse.data<T>();
          g.dq = rows_to<T>(dq);
          g.dk = rows_to<T>(dk);
          g.dv = rows_to<T>(dv);
          g.add_keys = one_query;
          if (du.defined()) g.du = du.data<T>();
          if (dbias.defined()) g.mask.bias = dbias.data<T>();
          if (ddiagonal.defined()) g.mask.diagonal = ddiagonal.data<T>();
          if (dcentre.defined()) g.mask.centre = dcentre.data<T>();
          kernels::attention_backward(a, g);
        });
        const std::array<const Tensor*, 7> all = {&dq, &dk, &dv, &du, &dbias, &ddiagonal, &dcentre};
        for (size_t i = 0; i < all.size(); ++i)
          if (!one_query || (i != kK && i != kV)) grads.pass(i, *all[i]);
      });
  return {context, lse};
}

void attention_weights(const PairScore& score, const MaskParts& mask, const Tensor& lse, int64_t batch,
                       int64_t head, int64_t begin, int64_t end, const Tensor& w) {
  if (batch < 0 || batch >= score.q.dim(0) || head < 0 || head >= score.q.dim(2) || begin < 0 ||
      begin > end || end > score.q.dim(1))
    fail(kWho, "weights of batch {}, head {}, rows {} to {} of a query of shape {}", batch, head, begin, end,
         score.q.shape().str());
  if (w.shape() != Shape{end - begin, score.k.dim(1)})
    fail(kWho, "weights go to an array of shape {}: expected [{}, {}]", w.shape().str(), end - begin,
         score.k.dim(1));
  with_kernel(score, score.k.value(), mask, [&](const auto& a, auto zero) {
    using T = decltype(zero);
    kernels::attention_weights(a, lse.data<T>(), batch, head, begin, end, w.data<T>());
  });
}

}  // namespace fovea::autograd
