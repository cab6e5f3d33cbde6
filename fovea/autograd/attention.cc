#include "fovea/autograd/attention.h"

#include <array>

#include "fovea/kernels/attention.h"

namespace fovea::autograd {
namespace {

// Heads [first, ..) of x [B, L, heads, width].
template <typename T>
kernels::HeadRows<T> heads_of(const Tensor& x, int64_t first = 0) {
  if (!x.defined()) return {};
  return {x.data<std::remove_const_t<T>>() + first * x.dim(3), x.dim(1) * x.dim(2) * x.dim(3), x.dim(3),
          x.dim(2) * x.dim(3)};
}

// The halves of `rows` [2, ...].
template <typename T>
kernels::SoftmaxRows<T> rows_of(const Tensor& rows) {
  auto* max = rows.data<std::remove_const_t<T>>();
  return {max, max + rows.size() / 2};
}

// What a kernel reads: three tensors, or three parts of one.
struct Operands {
  Tensor q, k, v;                    // [B, L, heads, width] each
  int64_t k_first = 0, v_first = 0;  // the first of their heads
  kernels::AttentionSize size;
  Tensor u;  // of additive attention
  double scale = 1;

  bool joint() const { return v_first > 0; }
};

// The distance between neighbours of `axis`; 0 where the axis is shared.
int64_t stride(const Tensor& x, int axis) {
  return x.dim(axis) == 1 ? 0 : x.shape().product(axis + 1, x.rank());
}

Operands operands_of(const PairScore& s, const Tensor& v) {
  if (s.q.rank() != 4 || s.k.rank() != 4 || v.rank() != 4)
    fail("attention", "query {}, key {}, value {}: expected [batch, row, head, width] each",
         s.q.shape().str(), s.k.shape().str(), v.shape().str());
  const kernels::AttentionSize n = {.B = s.q.dim(0),
                                    .T = s.q.dim(1),
                                    .S = s.k.dim(1),
                                    .H = s.q.dim(2),
                                    .G = s.k.dim(2),
                                    .D = s.q.dim(3),
                                    .M = v.dim(3)};
  if (s.k.dim(0) != n.B || v.dim(0) != n.B || v.dim(1) != n.S || v.dim(2) != n.G || s.k.dim(3) != n.D)
    fail("attention",
         "query {}, key {} and value {} do not fit each other: expected [B, T, H, D], [B, S, G, D], [B, S, "
         "G, M]",
         s.q.shape().str(), s.k.shape().str(), v.shape().str());
  if (n.G < 1 || n.H % n.G)
    fail("attention", "{} key/value heads for {} query heads: expected a divisor", n.G, n.H);
  return {s.q.value(), s.k.value(), v, 0, 0, n, s.u.value(), s.scale};
}

Operands operands_of(const JointHeads& joint) {
  const Tensor& x = joint.qkv.value();
  const int64_t G = joint.kv_heads, H = x.rank() == 4 ? x.dim(2) - 2 * G : 0;
  if (G < 1 || H < 1 || H % G)
    fail("attention",
         "queries, keys and values of shape {} with {} key/value heads: expected [batch, row, H + 2 * {}, "
         "width]",
         x.shape().str(), G, G);
  const int64_t L = x.dim(1), D = x.dim(3);
  return {x,  x,          x, H, H + G, {.B = x.dim(0), .T = L, .S = L, .H = H, .G = G, .D = D, .M = D},
          {}, joint.scale};
}

// x has the given sizes, or 1 where an axis may be shared.
void expect(const char* what, const Tensor& x, std::initializer_list<int64_t> sizes) {
  Shape wanted(sizes);
  bool fits = x.rank() == wanted.rank();
  for (int axis = 0; fits && axis < wanted.rank(); ++axis)
    fits = x.dim(axis) == wanted[axis] || x.dim(axis) == 1;
  if (!fits)
    fail("attention", "{} of shape {}: expected {}, or 1 for an axis that is shared", what, x.shape().str(),
         wanted.str());
}

template <typename T>
kernels::AttentionMask<T> mask_of(const MaskParts& p, const kernels::AttentionSize& n) {
  kernels::AttentionMask<T> m;
  if (p.first.defined()) {
    expect("first", p.first, {n.B, n.H, n.T});
    if (p.first.dim(2) != n.T || p.last.shape() != p.first.shape())
      fail("attention", "ranges of shapes {} and {}: expected the same, with {} queries",
           p.first.shape().str(), p.last.shape().str(), n.T);
    for (const Tensor* x : {&p.first, &p.last})
      for (int32_t j : x->span<int32_t>())
        if (j < 0 || j > n.S) fail("attention", "a range that ends at key {}, of which there are {}", j, n.S);
    m.first = p.first.data<int32_t>();
    m.last = p.last.data<int32_t>();
    m.range_batch = stride(p.first, 0);
    m.range_head = stride(p.first, 1);
  }
  if (p.visible.defined()) {
    expect("visible", p.visible, {n.B, n.H, n.T, n.S});
    if (p.visible.dim(3) != n.S)
      fail("attention", "a mask over {} keys, of which there are {}", p.visible.dim(3), n.S);
    m.visible = p.visible.data<uint8_t>();
    m.visible_batch = stride(p.visible, 0);
    m.visible_head = stride(p.visible, 1);
    m.visible_row = stride(p.visible, 2);
  }
  if (p.bias.defined()) {
    const Tensor& bias = p.bias.value();
    expect("bias", bias, {n.B, n.H, n.T, n.S});
    if (bias.dim(3) != n.S) fail("attention", "a bias over {} keys, of which there are {}", bias.dim(3), n.S);
    m.bias = bias.data<T>();
    m.bias_batch = stride(bias, 0);
    m.bias_head = stride(bias, 1);
    m.bias_row = stride(bias, 2);
  }
  if (p.diagonal.defined()) {
    expect("diagonal", p.diagonal.value(), {n.H, n.T + n.S - 1});
    if (p.diagonal.dim(1) != n.T + n.S - 1)
      fail("attention", "a diagonal of {} numbers: expected {}", p.diagonal.dim(1), n.T + n.S - 1);
    m.diagonal = p.diagonal.value().data<T>();
    m.diagonal_head = stride(p.diagonal.value(), 0);
  }
  if (p.centre.defined()) {
    const Tensor& centre = p.centre.value();
    expect("centre", centre, {n.B, n.H, n.T});
    if (centre.dim(2) != n.T)
      fail("attention", "centres for {} queries, of which there are {}", centre.dim(2), n.T);
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
void with_kernel(const Operands& o, const MaskParts& mask, F&& f) {
  for_float(o.q.dtype(), "attention", [&](auto zero) {
    using T = decltype(zero);
    const auto fill = [&](auto& a) {
      a.size = o.size;
      a.q = heads_of<const T>(o.q);
      a.k = heads_of<const T>(o.k, o.k_first);
      a.v = heads_of<const T>(o.v, o.v_first);
      a.mask = mask_of<T>(mask, o.size);
    };
    if (o.u.defined()) {
      kernels::AdditiveAttention<T> a;
      expect("u", o.u, {o.size.H, o.size.D});
      if (o.u.dim(1) != o.size.D) fail("attention", "u of width {}: expected {}", o.u.dim(1), o.size.D);
      a.u = o.u.data<T>();
      a.u_head = stride(o.u, 0);
      fill(a);
      f(a, zero);
    } else {
      kernels::DotAttention<T> a;
      a.scale = static_cast<T>(o.scale);
      fill(a);
      f(a, zero);
    }
  });
}

// An array for the gradient of input i where anybody needs it.
Tensor wanted(const Grads& grads, size_t i, const Tensor& like, bool zeros) {
  if (!grads.wants(i)) return {};
  return zeros ? Tensor::zeros(like.shape(), like.dtype()) : Tensor::empty(like.shape(), like.dtype());
}

// Inputs of the operation, in this order; a joint one has all of its first three in the first.
enum Input : size_t { kQ, kK, kV, kU, kBias, kDiagonal, kCentre, kInputs };

FusedAttention run(const Operands& o, const MaskParts& mask, const std::array<Var, kInputs>& inputs) {
  const kernels::AttentionSize& n = o.size;
  Tensor out = Tensor::empty({n.B, n.T, n.H, n.M}, o.v.dtype());
  Tensor rows = Tensor::empty({2, n.B, n.H, n.T}, o.v.dtype());
  with_kernel(o, mask, [&](const auto& a, auto zero) {
    using T = decltype(zero);
    kernels::attention_forward(a, heads_of<T>(out), rows_of<T>(rows));
  });
  Var context = record("attention", inputs, out, [o, mask, out, rows](const Tensor& dy, Grads& grads) {
    const Tensor dq = wanted(grads, kQ, o.q, false);
    const Tensor du = wanted(grads, kU, o.u, true);
    const Tensor dbias = wanted(grads, kBias, mask.bias.value(), true);
    const Tensor ddiagonal = wanted(grads, kDiagonal, mask.diagonal.value(), true);
    const Tensor dcentre = wanted(grads, kCentre, mask.centre.value(), true);
    const auto backward = [&](const Tensor& dk, const Tensor& dv, bool add_keys) {
      with_kernel(o, mask, [&](const auto& a, auto zero) {
        using T = decltype(zero);
        kernels::AttentionGrads<T> g;
        g.out = heads_of<const T>(out);
        g.dout = heads_of<const T>(dy);
        g.rows = rows_of<const T>(rows);
        g.dq = heads_of<T>(dq);
        g.dk = heads_of<T>(dk, o.k_first);
        g.dv = heads_of<T>(dv, o.v_first);
        g.add_keys = add_keys;
        if (du.defined()) g.du = du.data<T>();
        if (dbias.defined()) g.mask.bias = dbias.data<T>();
        if (ddiagonal.defined()) g.mask.diagonal = ddiagonal.data<T>();
        if (dcentre.defined()) g.mask.centre = dcentre.data<T>();
        kernels::attention_backward(a, g);
      });
    };
    if (o.joint()) {
      backward(dq, dq, false);
    } else if (o.size.T ==
               1) {  // queries that come one by one share their keys, whose gradients are added up in place
      grads.add_together<2>({kK, kV}, [&](const Grads::Slots<2>& d) {
        for (const Grads::Slot& slot : d)
          if (slot.dx && slot.beta == 0) slot.dx->fill(0);
        backward(d[0].dx ? *d[0].dx : Tensor(), d[1].dx ? *d[1].dx : Tensor(), true);
      });
    } else {
      const Tensor dk = wanted(grads, kK, o.k, false), dv = wanted(grads, kV, o.v, false);
      backward(dk, dv, false);
      grads.pass(kK, dk);
      grads.pass(kV, dv);
    }
    grads.pass(kQ, dq);
    grads.pass(kU, du);
    grads.pass(kBias, dbias);
    grads.pass(kDiagonal, ddiagonal);
    grads.pass(kCentre, dcentre);
  });
  return {context, rows};
}

void weights(const Operands& o, const MaskParts& mask, const Tensor& rows, int64_t batch, int64_t head,
             int64_t begin, int64_t end, const Tensor& w) {
  const kernels::AttentionSize& n = o.size;
  if (batch < 0 || batch >= n.B || head < 0 || head >= n.H || begin < 0 || begin > end || end > n.T)
    fail("attention", "weights of batch {}, head {}, rows {} to {} of a query of shape [{}, {}, {}, {}]",
         batch, head, begin, end, n.B, n.T, n.H, n.D);
  if (w.shape() != Shape{end - begin, n.S})
    fail("attention", "weights go to an array of shape {}: expected [{}, {}]", w.shape().str(), end - begin,
         n.S);
  with_kernel(o, mask, [&](const auto& a, auto zero) {
    using T = decltype(zero);
    kernels::attention_weights(a, rows_of<const T>(rows), batch, head, begin, end, w.data<T>());
  });
}

}  // namespace

FusedAttention attention(const PairScore& score, const Var& v, const MaskParts& mask) {
  return run(operands_of(score, v.value()), mask,
             {score.q, score.k, v, score.u, mask.bias, mask.diagonal, mask.centre});
}

FusedAttention attention(const JointHeads& joint, const MaskParts& mask) {
  return run(operands_of(joint), mask,
             {joint.qkv, Var(), Var(), Var(), mask.bias, mask.diagonal, mask.centre});
}

void attention_weights(const PairScore& score, const MaskParts& mask, const Tensor& rows, int64_t batch,
                       int64_t head, int64_t begin, int64_t end, const Tensor& w) {
  weights(operands_of(score, score.k.value()), mask, rows, batch, head, begin, end, w);
}

void attention_weights(const JointHeads& joint, const MaskParts& mask, const Tensor& rows, int64_t batch,
                       int64_t head, int64_t begin, int64_t end, const Tensor& w) {
  weights(operands_of(joint), mask, rows, batch, head, begin, end, w);
}

}  // namespace fovea::autograd
