#!/usr/bin/env python3
"""Makes tests/goldens/transformer.safetensors with PyTorch: Transformers that turn one sequence into another.

Usage: goldens_transformer.py [FILE]        needs torch 2.15.0, on a CPU

The formulas of fovea/models/transformer.h, made of PyTorch's MultiheadAttention, LayerNorm and Linear. The batch, the arrays and the metadata are those of
goldens_rnn.py.
"""
import json
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn

from goldens import save
from goldens_rnn import GUIDED, SMOOTHING, SOURCE_LENGTHS, both, make_batch, redraw

SIZES = {"source_vocab": 9, "target_vocab": 8, "dim_model": 4, "heads": 2, "dim_ffn": 6, "enc_depth": 2, "dec_depth": 2, "max_positions": 6}
DEFAULTS = {"norm": "pre", "positions": "sinusoidal", "activation": "relu", "tied_embeddings": False, "tied_embeddings_all": False, "start": "learned"}
MODELS = {
    "pre": {},
    "post": {"norm": "post"},
    "learned": {"positions": "learned"},
    "gelu": {"activation": "gelu"},
    "gelu-tanh": {"activation": "gelu_tanh"},
    "silu-post": {"activation": "silu", "norm": "post"},
    "tied": {"tied_embeddings": True},
    "tied-all": {"tied_embeddings_all": True, "source_vocab": 8},
    "one-head": {"heads": 1},
    "guided": {},
    "zero": {"start": "zero"},
    "zero-tied-post": {"start": "zero", "tied_embeddings": True, "norm": "post"},
}
ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu}


def positions(length, width):
    angle = torch.arange(length).double()[:, None] / 10000 ** (torch.arange(0, width, 2).double() / width)
    return torch.cat([angle.sin(), angle.cos()], -1)


class Layer(nn.Module):
    def __init__(self, c, decoder):
        super().__init__()
        E = c["dim_model"]
        attention = lambda: nn.MultiheadAttention(E, c["heads"], batch_first=True)
        self.c, self.decoder = c, decoder
        self.self_, self.cross = attention(), attention() if decoder else None
        self.into, self.out = nn.Linear(E, c["dim_ffn"]), nn.Linear(c["dim_ffn"], E)
        self.self_norm, self.feed_forward_norm = nn.LayerNorm(E), nn.LayerNorm(E)
        self.cross_norm = nn.LayerNorm(E) if decoder else None

    def around(self, norm, x, part):
        return x + part(norm(x)) if self.c["norm"] == "pre" else norm(x + part(x))

    def forward(self, x, padding, states=None, states_padding=None):
        T, kept = x.shape[1], []
        look = lambda a, q, k, **how: a(q, k, k, average_attn_weights=False, **how)
        causal = torch.ones(T, T, dtype=torch.bool).triu(1) if self.decoder else None
        x = self.around(self.self_norm, x, lambda h: look(self.self_, h, h, key_padding_mask=padding, attn_mask=causal)[0])
        if self.decoder:
            def cross_attention(h):
                y, weights = look(self.cross, h, states, key_padding_mask=states_padding)
                kept.append(weights)
                return y
            x = self.around(self.cross_norm, x, cross_attention)
        x = self.around(self.feed_forward_norm, x, lambda h: self.out(ACTIVATIONS[self.c["activation"]](self.into(h))))
        return x, kept[0] if kept else None

    def names(self, prefix, of):
        named = {}
        def linear(at, weight, bias):
            named[prefix + at + "weight"], named[prefix + at + "bias"] = weight, bias
        def attention(at, a, joint):
            if joint:
                linear(at + "qkv.", of(a.in_proj_weight), of(a.in_proj_bias))
            for part, w, b in [] if joint else zip(["query", "key", "value"], of(a.in_proj_weight).chunk(3), of(a.in_proj_bias).chunk(3)):
                linear(f"{at}{part}.", w, b)
            linear(at + "out.", of(a.out_proj.weight), of(a.out_proj.bias))
        def plain(at, module):
            linear(at, of(module.weight), of(module.bias))
        plain("self_norm.", self.self_norm)
        attention("self.", self.self_, True)
        if self.decoder:
            plain("cross_norm.", self.cross_norm)
            attention("cross.", self.cross, False)
        plain("feed_forward_norm.", self.feed_forward_norm)
        plain("feed_forward.in.", self.into)
        plain("feed_forward.out.", self.out)
        return named


class Transformer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, E = c, c["dim_model"]
        self.words = nn.Embedding(c["target_vocab"], E)
        self.source_words = self.words if c["tied_embeddings_all"] else nn.Embedding(c["source_vocab"], E)
        if c["positions"] == "learned":
            self.source_positions, self.target_positions = (nn.Embedding(c["max_positions"], E) for _ in range(2))
        self.encoder = nn.ModuleList(Layer(c, False) for _ in range(c["enc_depth"]))
        self.decoder = nn.ModuleList(Layer(c, True) for _ in range(c["dec_depth"]))
        if c["norm"] == "pre":
            self.encoder_norm, self.decoder_norm = nn.LayerNorm(E), nn.LayerNorm(E)
        self.tied = c["tied_embeddings"] or c["tied_embeddings_all"]
        self.output = nn.Linear(E, c["target_vocab"])
        self.double()
        redraw(self, 0.7)

    def read(self, words, ids, learned, from_zero=False):
        x = words(ids)
        if from_zero:
            x = torch.cat([torch.zeros_like(x[:, :1]), x[:, 1:]], 1)
        x = x * math.sqrt(self.c["dim_model"])
        return x + (learned.weight[:ids.shape[1]] if learned else positions(ids.shape[1], self.c["dim_model"]))

    def forward(self, source, lengths, target_in):
        padding = torch.arange(source.shape[1])[None] >= torch.tensor(lengths)[:, None]
        learned = self.c["positions"] == "learned"
        h = self.read(self.source_words, source, self.source_positions if learned else None)
        for layer in self.encoder:
            h, _ = layer(h, padding)
        if self.c["norm"] == "pre":
            h = self.encoder_norm(h)
        x = self.read(self.words, target_in, self.target_positions if learned else None, self.c["start"] == "zero")
        for layer in self.decoder:
            x, look = layer(x, None, h, padding)
        if self.c["norm"] == "pre":
            x = self.decoder_norm(x)
        return F.linear(x, self.words.weight if self.tied else self.output.weight, self.output.bias), look

    def names(self, of):
        named = {}
        if not self.c["tied_embeddings_all"]:
            named["source_embedding.weight"] = of(self.source_words.weight)
        named["embedding.weight" if self.c["tied_embeddings_all"] else "target_embedding.weight"] = of(self.words.weight)
        if self.c["positions"] == "learned":
            named["source_positions.weight"] = of(self.source_positions.weight)
            named["target_positions.weight"] = of(self.target_positions.weight)
        for stack, layers in [("encoder", self.encoder), ("decoder", self.decoder)]:
            for i, layer in enumerate(layers):
                named |= layer.names(f"{stack}.{i}.", of)
            if self.c["norm"] == "pre":
                norm = getattr(self, stack + "_norm")
                named |= {f"{stack}.norm.weight": of(norm.weight), f"{stack}.norm.bias": of(norm.bias)}
        if not self.tied:
            named["output.weight"] = of(self.output.weight)
        return named | {"output.bias": of(self.output.bias)}


def run_model(config, guided, batch, seed):
    torch.manual_seed(seed)
    model = Transformer(config)
    targets = batch["target_out"]
    logits, look = model(batch["source"], SOURCE_LENGTHS, batch["target_in"])
    total = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1, label_smoothing=SMOOTHING, reduction="sum")
    if guided:
        total = total - GUIDED * (batch["alignment"][:, None] * (look + 1e-9).log()).sum() / config["heads"]
    total.backward()
    told = targets >= 0
    log_probs = logits.log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0] * told
    return {"total": total[None], "log_probs": log_probs, "look": look * told[:, None, :, None]} | both(model.names)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/goldens/transformer.safetensors"
    tensors, models = {}, []

    def keep(case, made):
        for name, x in made.items():
            x = x.detach().contiguous()
            tensors[f"{case}/{name}"] = x.float() if x.is_floating_point() else x.int()

    batch = make_batch()
    keep("batch", batch)
    for number, (name, changes) in enumerate(MODELS.items()):
        config, guided = {**SIZES, **DEFAULTS, **changes}, name == "guided"
        keep(name, run_model(config, guided, batch, 300 + number))
        models.append({"name": name, "guided": guided, "config": {"model_type": "transformer", **config}})
    made_with = f"torch {torch.__version__.split('+')[0]}, f64 on a CPU, tools/goldens_transformer.py"
    compact = lambda value: json.dumps(value, separators=(",", ":"))
    save(path, tensors, {"made_with": made_with, "models": compact(models)})
    print(f"{len(models)} models, {len(tensors)} tensors in {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
