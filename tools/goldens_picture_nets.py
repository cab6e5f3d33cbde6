#!/usr/bin/env python3
"""Makes tests/goldens/picture_nets.safetensors with PyTorch: models that look at pictures, costs and gradients.

Usage: goldens_picture_nets.py [FILE]        needs torch 2.15.0, on a CPU

The formulas of fovea/models/cnn.h, vit.h, rowrnn.h, glimpse.h and captioner.h, made of PyTorch's layers. Worked out in f64 from weights that are exact in
f32, and stored as f32. Parameters have Fovea's names; a parameter of shape [..] is stored as [2, ..]: its value and its gradient. All look at one batch,
  batch/pictures [B,8,8,3]; batch/labels [B,1], batch/target_in [B,T], batch/target_out [B,T] (-1: no word), all i32
and for a case NAME
  NAME/total [1]     the cost, with labels smoothed by 0.1
  NAME/param.P       the gradients of the total
Under __metadata__ "models", a JSON list of {"name", "captions", "training", "step", "done", "config"}, the last as in config.json. Nets are made with seed 1, by
which, and the step, a glimpse draws its points.
"""
import json
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn

from goldens import save
from goldens_rnn import DEFAULTS, SMOOTHING, Seq2Seq, both, draw, names_of_layers, redraw
from goldens_transformer import Layer

ROWS, SIDE, CHANNELS, LABELS, VOCABULARY, CAPTIONS = 3, 8, 3, 4, 8, [3, 4, 1]
PICTURE = {"picture_size": SIDE, "channels": CHANNELS}
LABELLED = {**PICTURE, "labels": [str(i) for i in range(LABELS)]}
CONVOLUTIONS = {"conv_channels": 4, "conv_stages": 2, "conv_depth": 2}
SEED, DRAWS = 1, 1 << 20

CNN = {**LABELLED, **CONVOLUTIONS}
VIT = {**LABELLED, "patch_size": 4, "dim_model": 8, "dim_ffn": 12, "heads": 2, "enc_depth": 2, "activation": "gelu"}
ROWRNN = {**LABELLED, "cell": "lstm", "dim_rnn": 5, "enc_depth": 1}
GLIMPSE = {**LABELLED, "glimpses": 4, "glimpse_size": 3, "glimpse_scales": 3, "dim_glimpse": 5, "dim_rnn": 6, "location_std": 0.3, "location_std_end": 0.1,
           "policy_weight": 0.7, "early_weight": 0.4, "effort_weight": 0.3}
# What is read is as wide as a bidirectional encoder's states.
CAPTIONER = {**PICTURE, **CONVOLUTIONS, "target_vocab": VOCABULARY, "dim_emb": 3, "dim_rnn": 4, "cell": "lstm", "attention": "bahdanau", "score": "additive",
             "doubly_stochastic": 0.0}

MODELS = {
    "cnn": ("cnn", CNN, True),
    "cnn-running": ("cnn", CNN, False),
    "vit": ("vit", VIT, True),
    "vit-relu": ("vit", {**VIT, "activation": "relu", "heads": 1, "patch_size": 2}, False),
    "rowrnn-lstm": ("rowrnn", ROWRNN, True),
    "rowrnn-gru-deep": ("rowrnn", {**ROWRNN, "cell": "gru", "enc_depth": 2}, False),
    "glimpse": ("glimpse", GLIMPSE, True),
    "glimpse-running": ("glimpse", GLIMPSE, False),
    "glimpse-one": ("glimpse", {**GLIMPSE, "glimpses": 1}, True),
    "captioner": ("captioner", CAPTIONER, True),
    "captioner-luong": ("captioner", {**CAPTIONER, "attention": "luong", "score": "general", "cell": "gru"}, False),
    "captioner-spread": ("captioner", {**CAPTIONER, "doubly_stochastic": 0.3}, True),
}
STEP, DONE = 5, 0.25


def philox(seed, stream, position):
    """Philox4x32-10 (Salmon et al. 2011): four words of 32 bits."""
    low = lambda v: v & 0xFFFFFFFF
    x, key = [low(position), position >> 32, low(stream), stream >> 32], [low(seed), seed >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [(b >> 32) ^ x[1] ^ key[0], low(b), (a >> 32) ^ x[3] ^ key[1], low(a)]
        key = [low(key[0] + 0x9E3779B9), low(key[1] + 0xBB67AE85)]
    return x


def normals(seed, stream, count):
    """By Box and Muller, two uniform numbers each."""
    bits = [word for position in range(count // 2 + 1) for word in philox(seed, stream, position)]
    uniform = [(word >> 8) * 2.0**-24 for word in bits]
    return torch.tensor([math.sqrt(-2 * math.log(1 - u)) * math.cos(2 * math.pi * v) for u, v in zip(uniform[::2], uniform[1::2])][:count]).double()


def linears(named, of, **layers):
    for name, layer in layers.items():
        at = name.replace("__", ".")
        named[at + ".weight"] = of(layer.weight)
        if layer.bias is not None:
            named[at + ".bias"] = of(layer.bias)
    return named


class Convolutions(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, width = c, c["channels"]
        self.blocks = nn.ModuleDict()
        for stage in range(c["conv_stages"]):
            for block in range(c["conv_depth"]):
                out = c["conv_channels"] << stage
                self.blocks[f"{stage}_{block}"] = nn.ModuleList([nn.Conv2d(width, out, 3, padding=1, bias=False), nn.BatchNorm2d(out)])
                width = out

    def forward(self, pictures):
        x = pictures.permute(0, 3, 1, 2)
        for name, (conv, norm) in self.blocks.items():
            if name.endswith("_0") and name != "0_0":
                x = F.max_pool2d(x, 2)
            x = F.relu(norm(conv(x)))
        return x

    def names(self, of):
        named = {}
        for name, (conv, norm) in self.blocks.items():
            at = f"encoder.{name.replace('_', '.')}."
            named[at + "conv.weight"] = of(conv.weight).permute(0, 2, 3, 1)
            named[at + "norm.weight"], named[at + "norm.bias"] = of(norm.weight), of(norm.bias)
        return named


class Cnn(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.encoder = Convolutions(c)
        self.classifier = nn.Linear(c["conv_channels"] << (c["conv_stages"] - 1), LABELS)

    def forward(self, batch):
        return smoothed(self.classifier(self.encoder(batch["pictures"]).mean((2, 3))), batch["labels"])

    def names(self, of):
        return linears(self.encoder.names(of), of, classifier=self.classifier)


class Vit(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, E, P = c, c["dim_model"], c["patch_size"]
        self.patches = nn.Conv2d(c["channels"], E, P, stride=P)
        self.class_token, self.positions = nn.Parameter(torch.empty(1, E)), nn.Parameter(torch.empty(1 + (SIDE // P) ** 2, E))
        self.layers = nn.ModuleList(Layer({**c, "norm": "pre"}, False) for _ in range(c["enc_depth"]))
        self.norm, self.classifier = nn.LayerNorm(E), nn.Linear(E, LABELS)

    def forward(self, batch):
        x = self.patches(batch["pictures"].permute(0, 3, 1, 2)).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(len(x), 1, -1), x], 1) + self.positions
        for layer in self.layers:
            x = layer(x, None)[0]
        return smoothed(self.classifier(self.norm(x[:, 0])), batch["labels"])

    def names(self, of):
        named = {"patches.weight": of(self.patches.weight).permute(0, 2, 3, 1), "patches.bias": of(self.patches.bias),
                 "class_token.weight": of(self.class_token), "positions.weight": of(self.positions)}
        for i, layer in enumerate(self.layers):
            named |= layer.names(f"layer.{i}.", of)
        return linears(named, of, norm=self.norm, classifier=self.classifier)


class RowRnn(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.encoder = {"lstm": nn.LSTM, "gru": nn.GRU}[c["cell"]](SIDE * CHANNELS, c["dim_rnn"], c["enc_depth"])
        self.classifier = nn.Linear(c["dim_rnn"], LABELS)

    def forward(self, batch):
        return smoothed(self.classifier(self.encoder(batch["pictures"].flatten(2).transpose(0, 1))[0][-1]), batch["labels"])

    def names(self, of):
        return linears(names_of_layers(self.encoder, "encoder.", of), of, classifier=self.classifier)


def shares(centre, cells, k):
    """How much of each pixel lies in each cell of a side: [B, cells, SIDE]."""
    begin = centre[:, None, None] - cells * k / 2 + k * torch.arange(cells).double()[None, :, None]
    pixel = torch.arange(SIDE).double()
    return (torch.minimum(begin + k, pixel + 1) - torch.maximum(begin, pixel)).clamp(min=0)


def retina(pictures, points, cells, scales):
    """[B, scales * cells * cells * channels] at points (x, y) from -1 to 1."""
    x, y = ((points + 1) * SIDE / 2).unbind(-1)
    squares = [torch.einsum("bip,bpqc,bjq->bijc", shares(y, cells, 2**s), pictures, shares(x, cells, 2**s)) / 4**s for s in range(scales)]
    return torch.stack(squares, 1).flatten(1)


class Glimpse(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, D, H = c, c["dim_glimpse"], c["dim_rnn"]
        self.what, self.where = nn.Linear(c["glimpse_scales"] * c["glimpse_size"] ** 2 * CHANNELS, D), nn.Linear(2, D)
        self.join, self.input, self.state = nn.Linear(2 * D, H), nn.Linear(H, H), nn.Linear(H, H, bias=False)
        self.classifier = nn.Linear(H, LABELS)
        self.policy, self.mean = nn.Linear(H, 128), nn.Linear(128, 2)
        self.baseline, self.reward = nn.Linear(H, 64), nn.Linear(64, 1)

    def forward(self, batch):
        c, G, pictures = self.c, self.c["glimpses"], batch["pictures"]
        std = c["location_std"] + (c["location_std_end"] - c["location_std"]) * DONE
        noise = normals(SEED + DRAWS, STEP, (G - 1) * ROWS * 2).view(G - 1, ROWS, 2) * std * self.training
        at, h = torch.zeros(ROWS, 2).double(), torch.zeros(ROWS, c["dim_rnn"]).double()
        logits, log_probs, efforts, expected = [], [], [], []
        for t in range(G):
            seen = retina(pictures, at, c["glimpse_size"], c["glimpse_scales"])
            g = self.join(torch.cat([self.what(seen).relu(), self.where(at).relu()], 1)).relu()
            h = (self.input(g) + self.state(h)).relu()
            logits.append(self.classifier(h))
            if t == G - 1:
                break
            mean = torch.tanh(self.mean(self.policy(h.detach()).relu()))
            expected.append(self.reward(self.baseline(h.detach()).relu())[:, 0])
            drawn = mean.detach() + noise[t]
            log_probs.append(torch.distributions.Normal(mean, std).log_prob(drawn).sum(1))
            efforts.append(((mean - at) ** 2).sum(1))
            at = drawn.clamp(-1, 1)
        total = smoothed(logits[-1], batch["labels"])
        if G == 1:
            return total
        total = total + c["early_weight"] / (G - 1) * sum(smoothed(one, batch["labels"]) for one in logits[:-1])
        if not self.training:
            return total
        chance = torch.stack([one.detach().softmax(-1).gather(1, batch["labels"])[:, 0] for one in logits])
        to_go = torch.stack([(chance[-1] + chance[t + 1:].mean(0)) / 2 for t in range(G - 1)])
        expected = torch.stack(expected)
        advantage = (to_go - expected).detach()
        advantage = advantage / ((advantage**2).mean().sqrt() + 1e-6)
        moves = ((expected - to_go) ** 2).sum() - c["policy_weight"] * (torch.stack(log_probs) * advantage).sum() + c["effort_weight"] * torch.stack(efforts).sum()
        return total + moves / (G - 1)

    def names(self, of):
        return linears({}, of, what=self.what, where=self.where, join=self.join, input=self.input, state=self.state, classifier=self.classifier,
                       policy__hidden=self.policy, policy__mean=self.mean, baseline__hidden=self.baseline, baseline__reward=self.reward)


class Captioner(Seq2Seq):
    def __init__(self, c):
        super().__init__({**DEFAULTS, "source_vocab": 1, "max_keys": 64, **c})
        self.convolutions = Convolutions(c)
        width = c["conv_channels"] << (c["conv_stages"] - 1)
        self.positions = nn.Parameter(torch.empty((SIDE >> (c["conv_stages"] - 1)) ** 2, width))

    def forward(self, batch):
        grid = self.convolutions(batch["pictures"]).flatten(2).transpose(1, 2)
        lengths = torch.full((ROWS,), grid.shape[1])
        logits, look, _ = self.decode(grid + self.positions, grid.mean(1), lengths, batch["target_in"])
        told = (batch["target_out"] >= 0)[:, None, :, None]
        total = F.cross_entropy(logits.flatten(0, 1), batch["target_out"].flatten(), ignore_index=-1, label_smoothing=SMOOTHING, reduction="sum")
        return total + self.c["doubly_stochastic"] * ((1 - (look * told).sum(2)) ** 2).sum()

    def names(self, of):
        decoder = {name: x for name, x in super().names(of).items() if not name.startswith(("encoder.", "source_embedding."))}
        return self.convolutions.names(of) | {"positions.weight": of(self.positions)} | decoder


NETS = {"cnn": Cnn, "vit": Vit, "rowrnn": RowRnn, "glimpse": Glimpse, "captioner": Captioner}


def smoothed(logits, labels):
    return F.cross_entropy(logits, labels[:, 0], label_smoothing=SMOOTHING, reduction="sum")


def make_batch():
    torch.manual_seed(60)
    target_in, target_out = torch.zeros(ROWS, max(CAPTIONS)).long(), torch.full((ROWS, max(CAPTIONS)), -1)
    for b, length in enumerate(CAPTIONS):
        words = torch.randint(4, VOCABULARY, (length - 1,))
        target_in[b, :length], target_out[b, :length] = torch.cat([torch.tensor([2]), words]), torch.cat([words, torch.tensor([3])])
    return {"pictures": draw(ROWS, SIDE, SIDE, CHANNELS), "labels": torch.randint(LABELS, (ROWS, 1)), "target_in": target_in, "target_out": target_out}


def run_model(kind, config, training, batch, seed):
    torch.manual_seed(seed)
    model = NETS[kind](config).double().train(training)
    redraw(model, 0.4)
    total = model(batch)
    total.backward()
    return {"total": total[None]} | both(model.names)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/goldens/picture_nets.safetensors"
    tensors, models = {}, []

    def keep(case, made):
        for name, x in made.items():
            x = x.detach().contiguous()
            tensors[f"{case}/{name}"] = x.float() if x.is_floating_point() else x.int()

    batch = make_batch()
    keep("batch", batch)
    for number, (name, (kind, config, training)) in enumerate(MODELS.items()):
        keep(name, run_model(kind, config, training, batch, 400 + number))
        models.append({"name": name, "captions": kind == "captioner", "training": training, "step": STEP, "done": DONE,
                       "config": {"model_type": kind, **config}})
    made_with = f"torch {torch.__version__.split('+')[0]}, f64 on a CPU, tools/goldens_picture_nets.py"
    compact = lambda value: json.dumps(value, separators=(",", ":"))
    save(path, tensors, {"made_with": made_with, "models": compact(models)})
    print(f"{len(models)} models, {len(tensors)} tensors in {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
