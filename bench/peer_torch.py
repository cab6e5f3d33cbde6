#!/usr/bin/env python3
"""PyTorch's side of bench/compare.py: started once, answers on pipes.

Usage: peer_torch.py THREADS
First line out: {"torch": version}. Then for each line in, {"name": "kind/sizes", "rounds": N}, one line out:
{"ms": best of N, "peak_mib": of the process so far}.
The inputs of a case stay until another is asked for; a run that is not timed comes first each time.
"""
import json
import resource
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn


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


class Gru(nn.Module):
    """A GRU in both directions, additive attention before the decoder's GRU cell, a tanh layer before the words."""

    def __init__(self, vocabulary, tied, width=256):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.source_words = self.words if tied else nn.Embedding(vocabulary, width)
        self.encoder = nn.GRU(width, width, bidirectional=True, batch_first=True)
        self.start = nn.Linear(2 * width, width)
        self.query, self.key = nn.Linear(width, width, bias=False), nn.Linear(2 * width, width)
        self.score = nn.Linear(width, 1, bias=False)
        self.cell = nn.GRUCell(3 * width, width)
        self.readout = nn.Linear(3 * width, width)
        self.output = nn.Linear(width, vocabulary)
        if tied:
            self.output.weight = self.words.weight

    def read(self, source):
        values, last = self.encoder(self.source_words(source))
        return values, self.key(values), torch.tanh(self.start(torch.cat([last[0], last[1]], -1)))

    def step(self, word, state, values, keys):
        weights = self.score(torch.tanh(self.query(state)[:, None] + keys)).softmax(1)
        context = (weights * values).sum(1)
        state = self.cell(torch.cat([word, context], -1), state)
        return state, torch.cat([state, context], -1)

    def logits(self, outputs):
        return self.output(torch.tanh(self.readout(outputs)))


def train_gru(rows=64, source=16, target=16, vocabulary=8000):
    model = Gru(vocabulary, tied=False)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    x = torch.randint(0, vocabulary, (rows, source))
    y = torch.randint(0, vocabulary, (rows, target + 1))

    def run():
        values, keys, state = model.read(x)
        words, outputs = model.words(y[:, :-1]), []
        for t in range(target):
            state, output = model.step(words[:, t], state, values, keys)
            outputs.append(output)
        logits = model.logits(torch.stack(outputs, 1)).view(-1, vocabulary)
        loss = F.cross_entropy(logits, y[:, 1:].reshape(-1), label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return run


def decode_gru(rows=32, source=15, steps=20, vocabulary=6000):
    model = Gru(vocabulary, tied=True).eval()
    x = torch.randint(0, vocabulary, (rows, source))

    def run():
        with torch.no_grad():
            values, keys, state = model.read(x)
            words = torch.full((rows,), 2)
            for _ in range(steps):
                state, output = model.step(model.words(words), state, values, keys)
                words = model.logits(output).argmax(-1)

    return run


KINDS = {
    "train/gru_additive": train_gru,
    "decode/gru_greedy_b32": decode_gru,
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
            run = KINDS[name]() if name in KINDS else KINDS[kind](*map(int, sizes.split("x")))
        answer = {"ms": best_ms(run, request["rounds"])}
        answer["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
