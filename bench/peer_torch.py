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

import torch_pictures
from torch_step import updates


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

    def cost():
        values, keys, state = model.read(x)
        words, outputs = model.words(y[:, :-1]), []
        for t in range(target):
            state, output = model.step(words[:, t], state, values, keys)
            outputs.append(output)
        logits = model.logits(torch.stack(outputs, 1)).view(-1, vocabulary)
        return F.cross_entropy(logits, y[:, 1:].reshape(-1), label_smoothing=0.1)

    return updates(model, optimizer, cost)


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


class Transformer(nn.Module):
    """PyTorch's own, with one table of words for source, target and output."""

    def __init__(self, vocabulary, width=128, heads=4, depth=4, hidden=256):
        super().__init__()
        self.words, self.width = nn.Embedding(vocabulary, width), width
        self.stacks = nn.Transformer(width, heads, depth, depth, hidden, dropout=0.1, batch_first=True)

    def forward(self, x, y):
        causal = nn.Transformer.generate_square_subsequent_mask(y.shape[1])
        scale = self.width**0.5
        out = self.stacks(self.words(x) * scale, self.words(y) * scale, tgt_mask=causal, tgt_is_causal=True)
        return out @ self.words.weight.T


def train_transformer(rows=64, length=16, vocabulary=8000):
    model = Transformer(vocabulary)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    x, y = torch.randint(0, vocabulary, (rows, length)), torch.randint(0, vocabulary, (rows, length + 1))

    def cost():
        return F.cross_entropy(model(x, y[:, :-1]).view(-1, vocabulary), y[:, 1:].reshape(-1), label_smoothing=0.1)

    return updates(model, optimizer, cost)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.look_norm, self.think_norm = nn.LayerNorm(width, bias=False), nn.LayerNorm(width, bias=False)
        self.qkv, self.merge = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.into, self.out = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        B, L, E = x.shape
        q, k, v = (y.view(B, L, self.heads, -1).transpose(1, 2) for y in self.qkv(self.look_norm(x)).split(E, 2))
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(B, L, E)
        x = x + self.merge(seen)
        return x + self.out(F.gelu(self.into(self.think_norm(x))))


class Gpt(nn.Module):
    """The recipe of nanoGPT: norms first, no biases, learned positions, the table of words as output layer."""

    def __init__(self, depth, heads, width, block, vocabulary):
        super().__init__()
        self.words, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(block, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm = nn.LayerNorm(width, bias=False)

    def forward(self, x, y):
        logits = self.norm(self.blocks(self.words(x) + self.positions.weight)) @ self.words.weight.T
        return F.cross_entropy(logits.flatten(0, 1), y.flatten())


def train_gpt(depth, heads, width, block, rows, compiled=False, vocabulary=65):
    def setup():
        model = Gpt(depth, heads, width, block, vocabulary)
        cost = torch.compile(model) if compiled else model
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.99), weight_decay=0.1, fused=True)
        x, y = (torch.randint(0, vocabulary, (rows, block)) for _ in range(2))
        return updates(model, optimizer, lambda: cost(x, y))

    return setup


SMALL, MEDIUM = (4, 4, 128, 64, 12), (6, 6, 384, 256, 16)


def sentence_lengths(count):
    return [8 + i * 5 % 13 for i in range(count)]


def embed_minilm(batch, count=32):
    """transformers' BERT of MiniLM's shape, on ids that are there already."""

    def setup():
        from transformers import BertConfig, BertModel

        model = BertModel(BertConfig(num_hidden_layers=6, hidden_size=384, intermediate_size=1536, num_attention_heads=12)).eval()
        rows = [torch.randint(2, 30000, (n,)) for n in sentence_lengths(count)]

        def run():
            with torch.no_grad():
                for begin in range(0, count, batch):
                    some = rows[begin:begin + batch]
                    ids = nn.utils.rnn.pad_sequence(some, batch_first=True)
                    mask = torch.arange(ids.shape[1])[None] < torch.tensor([len(x) for x in some])[:, None]
                    states = model(ids, attention_mask=mask.long()).last_hidden_state * mask[..., None]
                    F.normalize(states.sum(1) / mask.sum(1, keepdim=True))

        return run

    return setup


def generate_gpt2(prompt=16, words=128):
    """transformers' GPT-2, with its cache."""
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config()).eval()
    ids = torch.randint(0, 50257, (1, prompt))

    def run():
        with torch.no_grad():
            model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, min_new_tokens=words, max_new_tokens=words, pad_token_id=0)

    return run


def convolution(backward):
    """The faster of PyTorch's two layouts of pictures."""

    def setup(B, height, width, C, out, size, stride, padding, groups):
        def run_in(layout):
            x = torch.randn(B, C, height, width).to(memory_format=layout).requires_grad_(backward)
            w = torch.randn(out, C // groups, size, size).to(memory_format=layout).requires_grad_(backward)
            bias = torch.randn(out, requires_grad=backward)

            def output():
                return F.conv2d(x, w, bias, stride, padding, groups=groups)

            return with_backward([x, w, bias], output) if backward else without_grad(output)

        return min((run_in(layout) for layout in (torch.contiguous_format, torch.channels_last)), key=lambda run: best_ms(run, 5))

    return setup


def without_grad(output):
    def run():
        with torch.no_grad():
            output()

    return run


KINDS = torch_pictures.KINDS | {
    "train/transformer_tiny": train_transformer,
    "train/gpt_small": train_gpt(*SMALL),
    "train/gpt_small_vs_compile": train_gpt(*SMALL, compiled=True),
    "train/gpt_medium": train_gpt(*MEDIUM),
    "train/gpt_medium_vs_compile": train_gpt(*MEDIUM, compiled=True),
    "embed/minilm_b1": embed_minilm(1),
    "embed/minilm_b32": embed_minilm(32),
    "generate/gpt2_f32": generate_gpt2,
    "generate/gpt2_int8": generate_gpt2,
    "train/gru_additive": train_gru,
    "decode/gru_greedy_b32": decode_gru,
    "causal_fwd": forward(causal=True),
    "full_fwd": forward(causal=False),
    "causal_fwd_bwd": causal_fwd_bwd,
    "causal_fwd_bwd_weights": causal_fwd_bwd_weights,
    "additive_fwd_bwd": additive_fwd_bwd,
    "gemm": gemm,
    "conv_fwd": convolution(backward=False),
    "conv_fwd_bwd": convolution(backward=True),
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
