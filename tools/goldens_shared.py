#!/usr/bin/env python3
"""Makes tests/goldens/attention_shared.safetensors with PyTorch: attention whose queries, keys and values are one tensor, or two of them are,
under biases of -1e9 and of the lowest float, as masks are often written.

Usage: goldens_shared.py [FILE]        needs torch 2.15.0, on a CPU

Worked out in f32, where such a bias rounds off what queries and keys say. For a case NAME the file holds
  NAME/leaf.I [B,L,n]                    what is differentiated; queries, keys and values are leaves, or tanh of them (changed)
  NAME/param.P, NAME/bias [B,1,T,S]      parameters of the score, as in goldens.py; what is added to scores
  NAME/context [B,T,n], NAME/weights [B,1,T,S], NAME/upstream [B,T,n]
  NAME/dleaf.I, dparam.P, dbias          gradients of sum(context * upstream)
and under __metadata__ "cases", a JSON list of {"name", "score", "of": [the leaf of q, of k, of v], "changed"}.
"""
import json
import sys

import torch

from goldens import SCORES, save, scores_of

B, N, A, LOCATIONS = 2, 3, 4, 6
LOWEST = torch.finfo(torch.float32).min
SHARED = {"apart": [0, 1, 2], "keys-values": [0, 1, 1], "queries-keys": [0, 0, 1], "queries-values": [0, 1, 0], "all": [0, 0, 0]}
SIZES = [(1, 1), (1, 4), (2, 5), (3, 3)]
BIASES = ["none", "rows-1e9", "rows-lowest", "parts-1e9", "parts-lowest"]


def bias_of(kind, T, S):
    bias = torch.randn(B, 1, T, S)
    hidden = LOWEST if kind.endswith("lowest") else -1e9
    if kind.startswith("rows"):
        bias[0] = hidden
        bias[1, :, -1] = hidden
    if kind.startswith("parts"):
        bias[torch.rand(bias.shape) < 0.5] = hidden
    return bias


def params_of(score):
    return {"general": {"W": (N, N)}, "additive": {"Wq": (A, N), "Wk": (A, N), "v": (A,)}, "concat": {"W": (A, 2 * N), "v": (A,)},
            "location": {"W": (LOCATIONS, N)}}.get(score, {})


def run(score, of, changed, kind, T, S, seed):
    torch.manual_seed(seed)
    lengths = [T, S, S]
    leaves = [torch.randn(B, next(l for l, i in zip(lengths, of) if i == leaf), N, requires_grad=True) for leaf in range(max(of) + 1)]
    params = {name: torch.randn(*shape, requires_grad=True) for name, shape in params_of(score).items()}
    bias = bias_of(kind, T, S).requires_grad_()
    values = [x.tanh() if changed else x for x in leaves]
    q, k, v = (values[i][:, None] for i in of)
    weights = (scores_of(score, q, k, params) + bias).softmax(-1)
    context = (weights @ v)[:, 0]
    upstream = torch.randn(*context.shape)
    (context * upstream).sum().backward()
    tensors = {f"leaf.{i}": x for i, x in enumerate(leaves)} | {"param." + name: x for name, x in params.items()} | {"bias": bias}
    grads = {"d" + name: torch.zeros_like(x) if x.grad is None else x.grad for name, x in tensors.items()}
    return tensors | grads | {"context": context, "weights": weights, "upstream": upstream}


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/goldens/attention_shared.safetensors"
    cases, tensors = [], {}
    for score in SCORES:
        for shared, of in SHARED.items():
            for T, S in SIZES:
                if T != S and of[0] in of[1:]:
                    continue
                number = len(cases)
                kind, changed = BIASES[number % len(BIASES)], number // len(BIASES) % 2 == 0
                name = f"{score}-{shared}-{T}x{S}-{kind}"
                cases.append({"name": name, "score": score, "of": of, "changed": changed})
                for key, x in run(score, of, changed, kind, T, S, number).items():
                    tensors[f"{name}/{key}"] = x.detach().contiguous()
    made_with = f"torch {torch.__version__.split('+')[0]}, f32 on a CPU, tools/goldens_shared.py"
    save(path, tensors, {"made_with": made_with, "cases": json.dumps(cases, separators=(",", ":"))})
    print(f"{len(cases)} cases, {len(tensors)} tensors in {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
