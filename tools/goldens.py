#!/usr/bin/env python3
"""Makes tests/goldens/attention.safetensors with PyTorch: forward and gradients of every score with every mask.

Usage: goldens.py [FILE]        needs torch 2.15.0, on a CPU

Worked out in f64 from inputs that are exact in f32, and stored as f32. For a case NAME the file holds
  NAME/q [B,T,H*n_q], NAME/k [B,S,G*n_k], NAME/v [B,S,G*n_v], NAME/upstream [B,T,H*n_v]
  NAME/param.P              the parameters of the score and the mask (shapes below)
  NAME/lengths [B] i32, NAME/mask [B,T,S] u8 (1: visible), NAME/bias [B,H,T,S]      where the case has them
  NAME/context [B,T,H*n_v], NAME/weights [B,H,T,S]                                  the results
  NAME/dq, dk, dv, dbias, dparam.P                                                  gradients of sum(context * upstream)
and under __metadata__ "cases", a JSON list of {"name", "score", "heads", "kv_heads", "masks": {option: value}}.

Scores   dot q.k, scaled_dot q.k/sqrt(n), mean_dot q.k/n, general q.Wk (W [n_q,n_k]), additive v.tanh(Wq q + Wk k)
         (Wq [a,n_q], Wk [a,n_k], v [a]), concat v.tanh(W [q;k]) (W [a,n_q+n_k], v [a]), location (W q)[:S] (W [S_max,n_q])
Masks    query i stands at p = S - T + i.   lengths: key j < lengths[b].   causal: j <= p.   window N: |p - j| <= N.
         prefix P: j < P or j <= p.   local_m D: |i - j| <= D.   mask: as given.   bias: added.
         alibi: -2^(-8(h+1)/H) |p - j| added.   relative_buckets 32: T5's table (param.relative [32,H]) at j - p added,
         in both directions, up to distance 128.   rope: q at p and k at j turned by j * 10000^(-2i/n), i paired with i + n/2.
         local_p D: centre c = S sigmoid(vp . tanh(Wp q)) (Wp [a,n_q], vp [a]; S is lengths[b] where
         given), |round(c) - j| <= D, and the softmax's weights times exp(-(j - c)^2 / (2 (D/2)^2)).
A query that sees no key has weights, context and gradients of zero.
"""
import json
import math
import struct
import sys

import torch
import torch.nn.functional as F

DOT_SCORES = {"dot": lambda n: 1.0, "scaled_dot": lambda n: n**-0.5, "mean_dot": lambda n: 1.0 / n}
SCORES = [*DOT_SCORES, "general", "additive", "concat", "location"]
B, ATTENTION_WIDTH, LOCATIONS = 2, 3, 8

# name: (T, S, options). True for an array means that the case brings one.
MASKS = {
    "none": (3, 5, {}),
    "lengths": (3, 5, {"lengths": True}),
    "causal": (4, 4, {"causal": True}),
    "causal_late": (3, 5, {"causal": True}),
    "window": (3, 5, {"window": 1}),
    "window_square": (4, 4, {"window": 2}),
    "causal_window": (3, 6, {"causal": True, "window": 2}),
    "prefix": (5, 5, {"prefix": 2}),
    "prefix_late": (3, 5, {"prefix": 1}),
    "mask": (3, 5, {"mask": True}),
    "bias": (3, 5, {"bias": True}),
    "alibi": (3, 5, {"alibi": True}),
    "causal_alibi": (4, 4, {"causal": True, "alibi": True}),
    "rope": (3, 5, {"rope": True}),
    "relative": (3, 5, {"relative_buckets": 32}),
    "local_m": (3, 5, {"local_m": 1}),
    "local_p": (3, 6, {"local_p": 2}),
    "local_p_lengths": (3, 6, {"local_p": 2, "lengths": True}),
    "causal_lengths": (4, 4, {"causal": True, "lengths": True}),
    "mask_bias": (3, 5, {"mask": True, "bias": True}),
}
# Masks that only these two scores run with, to keep the file small: one for each kind of fused kernel.
ALSO = {"window_square", "local_p_lengths", "causal_lengths", "mask_bias"}
ALSO_SCORES = {"scaled_dot", "additive"}
# score, heads, kv_heads, name of the mask above, and changes to its (T, S).
MORE = [
    *[(score, 2, 1, mask, None) for score in DOT_SCORES for mask in ("none", "causal_late", "mask")],
    *[("scaled_dot", 2, 1, mask, None) for mask in
      ("lengths", "bias", "causal_window", "prefix_late", "causal_alibi", "rope", "relative", "local_p")],
    *[("scaled_dot", 2, 2, mask, None) for mask in ("none", "causal", "alibi", "rope")],
    ("scaled_dot", 4, 2, "causal_alibi", None),
    ("scaled_dot", 1, 1, "relative", (2, 150)),  # back to the last bucket
    ("scaled_dot", 1, 1, "relative", (30, 30)),  # and far in both directions
    ("scaled_dot", 1, 1, "causal", (5, 3)),  # the first two queries stand before every key
    ("additive", 1, 1, "causal", (5, 3)),
]


class NearRounding(Exception):
    """A predicted centre lies so near to a half that f32 may round it to the other side."""


def positions(T, S):
    """Of the queries [T,1] and of the keys [1,S]."""
    return torch.arange(S - T, S)[:, None], torch.arange(S)[None, :]


def visible(options, inputs, T, S):
    p, j = positions(T, S)
    seen = torch.ones(B, 1, T, S, dtype=torch.bool)
    if options.get("causal"):
        seen = seen & (j <= p)
    if "prefix" in options:
        seen = seen & ((j <= p) | (j < options["prefix"]))
    if "window" in options:
        seen = seen & ((p - j).abs() <= options["window"])
    if "local_m" in options:
        seen = seen & ((torch.arange(T)[:, None] - j).abs() <= options["local_m"])
    if "lengths" in options:
        seen = seen & (j[None, None] < inputs["lengths"][:, None, None, None])
    if "mask" in options:
        seen = seen & inputs["mask"][:, None].bool()
    return seen


def t5_bucket(distance, buckets=32, furthest=128):
    """As in T5, for both directions: half of the buckets each; of those, half exact and half by logarithm."""
    buckets //= 2
    side = (distance > 0).long() * buckets
    distance, exact = distance.abs(), buckets // 2
    far = exact + (torch.log(distance.clamp(min=1) / exact) / math.log(furthest / exact) * (buckets - exact)).long()
    return side + torch.where(distance < exact, distance, far.clamp(max=buckets - 1))


def rotate(x, at):
    """x [B,heads,L,n] at positions [L]; element i turns with i + n/2."""
    half = x.shape[-1] // 2
    angle = at[:, None].double() * 10000.0 ** (-torch.arange(half).double() / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)


def scores_of(score, q, k, params):
    """e [B,H,T,S] of q [B,H,T,n_q] and k [B,H,S,n_k]."""
    if score in DOT_SCORES:
        return q @ k.transpose(-1, -2) * DOT_SCORES[score](q.shape[-1])
    if score == "general":
        return q @ params["W"] @ k.transpose(-1, -2)
    if score == "location":
        return (q @ params["W"].T)[..., : k.shape[2]]
    if score == "additive":
        pairs = (q @ params["Wq"].T)[..., :, None, :] + (k @ params["Wk"].T)[..., None, :, :]
    else:
        T, S = q.shape[2], k.shape[2]
        every_q, every_k = q[..., :, None, :].expand(-1, -1, -1, S, -1), k[..., None, :, :].expand(-1, -1, T, -1, -1)
        pairs = torch.cat([every_q, every_k], -1) @ params["W"].T
    return torch.tanh(pairs) @ params["v"]


def heads_of(x, heads):
    """[B,L,heads*n] -> [B,heads,L,n]"""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def attend(case, inputs, params):
    """context [B,T,H*n_v] and weights [B,H,T,S]."""
    H, G, options = case["heads"], case["kv_heads"], case["masks"]
    q = heads_of(inputs["q"], H)
    k, v = (heads_of(inputs[name], G).repeat_interleave(H // G, 1) for name in "kv")
    T, S = q.shape[2], k.shape[2]
    p, j = positions(T, S)
    raw_q = q
    if "rope" in options:
        q, k = rotate(q, p[:, 0]), rotate(k, j[0])
    e = scores_of(case["score"], q, k, params)
    added = torch.zeros(B, H, T, S, dtype=torch.float64)
    if "bias" in options:
        added = added + inputs["bias"]
    if "alibi" in options:
        slopes = 2.0 ** (-8.0 * torch.arange(1, H + 1).double() / H)
        added = added - slopes[:, None, None] * (p - j).abs()
    if "relative_buckets" in options:
        added = added + params["relative"][t5_bucket(j - p)].permute(2, 0, 1)
    seen = visible(options, inputs, T, S).expand(B, H, T, S)
    if "local_p" in options:
        reach = options["local_p"]
        keys = inputs["lengths"].double() if "lengths" in options else torch.full((B,), S).double()
        centre = torch.sigmoid(torch.tanh(raw_q @ params["Wp"].T) @ params["vp"])[..., None] * keys[:, None, None, None]
        if ((centre - centre.floor()) - 0.5).abs().min() < 0.02:
            raise NearRounding
        seen = seen & ((centre.detach().round() - j).abs() <= reach)
    dead = ~seen.any(-1, keepdim=True)
    w = (e + added).masked_fill(~seen & ~dead, -math.inf).masked_fill(dead, 0).softmax(-1).masked_fill(dead, 0)
    context = w @ v
    if case["score"] in DOT_SCORES:  # PyTorch's own attention agrees
        peer = F.scaled_dot_product_attention(q, k, v, attn_mask=added.masked_fill(~seen, -math.inf),
                                              scale=DOT_SCORES[case["score"]](q.shape[-1]))
        torch.testing.assert_close(peer.masked_fill(dead, 0), context, rtol=1e-9, atol=1e-9)
    if "local_p" in options:
        w = w * torch.exp(-((j - centre) ** 2) / (2 * (reach / 2) ** 2))
        context = w @ v
    return context.transpose(1, 2).flatten(2), w


def draw(*shape, requires_grad=True):
    """Normal numbers, exact in f32."""
    return torch.randn(*shape).double().requires_grad_(requires_grad)


def make_inputs(case, T, S):
    H, G, options = case["heads"], case["kv_heads"], case["masks"]
    n_q = 4
    n_k, n_v = (n_q if case["score"] in DOT_SCORES else 6), 3
    inputs = {"q": draw(B, T, H * n_q), "k": draw(B, S, G * n_k), "v": draw(B, S, G * n_v)}
    a = ATTENTION_WIDTH
    params = {
        "general": lambda: {"W": draw(n_q, n_k)},
        "additive": lambda: {"Wq": draw(a, n_q), "Wk": draw(a, n_k), "v": draw(a)},
        "concat": lambda: {"W": draw(a, n_q + n_k), "v": draw(a)},
        "location": lambda: {"W": draw(LOCATIONS, n_q)},
    }.get(case["score"], dict)()
    if "lengths" in options:
        inputs["lengths"] = torch.tensor([S, 2], dtype=torch.int32)
    if "mask" in options:
        inputs["mask"] = (torch.rand(B, T, S) < 0.6).to(torch.uint8)
        inputs["mask"][:, :, 0] = 1
        inputs["mask"][1, 1] = 0  # a query that sees nothing
    if "bias" in options:
        inputs["bias"] = draw(B, H, T, S)
    if "relative_buckets" in options:
        params["relative"] = draw(options["relative_buckets"], H)
    if "local_p" in options:
        params |= {"Wp": draw(a, n_q), "vp": draw(a)}
    return inputs, params


def run(case, T, S, seed):
    torch.manual_seed(seed)
    inputs, params = make_inputs(case, T, S)
    try:
        context, weights = attend(case, inputs, params)
    except NearRounding:
        return run(case, T, S, seed + 1000)
    upstream = draw(*context.shape, requires_grad=False)
    (context * upstream).sum().backward()
    tensors = inputs | {"param." + name: value for name, value in params.items()}
    grads = {"d" + name: torch.zeros_like(x) if x.grad is None else x.grad  # location never sees k
             for name, x in tensors.items() if x.requires_grad}
    return tensors | {"upstream": upstream, "context": context, "weights": weights} | grads


def all_cases():
    for score in SCORES:
        for mask, (T, S, options) in MASKS.items():
            if mask in ALSO and score not in ALSO_SCORES:
                continue
            yield {"name": f"{score}-{mask}", "score": score, "heads": 1, "kv_heads": 1, "masks": options}, T, S
    for score, heads, kv_heads, mask, sizes in MORE:
        T, S, options = MASKS[mask]
        T, S = sizes or (T, S)
        suffix = f"{T}x{S}" if sizes else f"heads{heads}x{kv_heads}"
        name = f"{score}-{mask}-{suffix}"
        yield {"name": name, "score": score, "heads": heads, "kv_heads": kv_heads, "masks": options}, T, S


def save(path, tensors, metadata):
    """The safetensors format, in the order given, so that the same run writes the same bytes."""
    kinds = {torch.float32: "F32", torch.int32: "I32", torch.uint8: "U8"}
    header, body = {"__metadata__": metadata}, b""
    for name, x in sorted(tensors.items(), key=lambda item: -item[1].element_size()):
        data = x.numpy().tobytes()
        offsets = [len(body), len(body) + len(data)]
        header[name] = {"dtype": kinds[x.dtype], "shape": list(x.shape), "data_offsets": offsets}
        body += data
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/goldens/attention.safetensors"
    cases, tensors = [], {}
    for number, (case, T, S) in enumerate(all_cases()):
        cases.append(case)
        for name, x in run(case, T, S, seed=number).items():
            x = x.detach().contiguous()
            tensors[f"{case['name']}/{name}"] = x.float() if x.is_floating_point() else x
    made_with = f"torch {torch.__version__.split('+')[0]}, f64 on a CPU, tools/goldens.py"
    save(path, tensors, {"made_with": made_with, "cases": json.dumps(cases, separators=(",", ":"))})
    print(f"{len(cases)} cases, {len(tensors)} tensors in {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
