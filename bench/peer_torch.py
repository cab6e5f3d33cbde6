#!/usr/bin/env python3
"""PyTorch's side of bench/compare.py: started once, answers on pipes.

Usage: peer_torch.py THREADS
First line out: {"torch": version}. Then for each line in, {"name": "kind/sizes", "rounds": N}, one line out:
{"ms": best of N}.
The inputs of a case stay until another is asked for; a run that is not timed comes first each time.
"""
import json
import sys
import time

import torch
import torch.nn.functional as F


def attention_inputs(B, H, L, D, grad):
    return [torch.randn(B, H, L, D, requires_grad=grad) for _ in range(3)]


def forward(causal):
    def setup(*sizes):
        q, k, v = attention_inputs(*sizes, grad=False)

        def run():
            with torch.no_grad():
                F.scaled_dot_product_attention(q, k, v, is_causal=causal)

        return run

    return setup


def with_backward(inputs, output):
    """One run: output() and the gradients of the inputs, for a random gradient of the output."""
    upstream = torch.randn_like(output())

    def run():
        output().backward(upstream)
        for x in inputs:
            x.grad = None

    return run


def causal_fwd_bwd(*sizes):
    q, k, v = attention_inputs(*sizes, grad=True)
    return with_backward([q, k, v], lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True))


def causal_fwd_bwd_weights(B, H, L, D):
    """The weights are only there where the whole matrix of them is made."""
    q, k, v = attention_inputs(B, H, L, D, grad=True)
    hidden = ~torch.ones(L, L, dtype=torch.bool).tril()

    def output():
        weights = (q @ k.transpose(-1, -2) / D**0.5).masked_fill(hidden, float("-inf")).softmax(-1)
        return weights @ v

    return with_backward([q, k, v], output)


def additive_fwd_bwd(B, T, S, E):
    shapes = [(B, T, E), (B, S, E), (B, S, E), (E,)]
    q, k, v, u = inputs = [torch.randn(*shape, requires_grad=True) for shape in shapes]
    return with_backward(inputs, lambda: (torch.tanh(q[:, :, None] + k[:, None]) @ u).softmax(-1) @ v)


def gemm(m, k, n):
    a, b = torch.randn(m, k), torch.randn(k, n)
    return lambda: a @ b


KINDS = {
    "causal_fwd": forward(causal=True),
    "full_fwd": forward(causal=False),
    "causal_fwd_bwd": causal_fwd_bwd,
    "causal_fwd_bwd_weights": causal_fwd_bwd_weights,
    "additive_fwd_bwd": additive_fwd_bwd,
    "gemm": gemm,
}


def best_ms(run, rounds):
    run()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main():
    torch.set_num_threads(int(sys.argv[1]))
    torch.manual_seed(0)
    print(json.dumps({"torch": torch.__version__}), flush=True)
    name, run = None, None
    for line in sys.stdin:
        request = json.loads(line)
        if request["name"] != name:
            run = None  # lets go of the last inputs first
            name = request["name"]
            kind, sizes = name.split("/")
            run = KINDS[kind](*map(int, sizes.split("x")))
        print(json.dumps({"ms": best_ms(run, request["rounds"])}), flush=True)


if __name__ == "__main__":
    main()
