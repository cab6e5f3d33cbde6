#!/usr/bin/env python3
"""Makes tests/goldens/rnn.safetensors with PyTorch: recurrent layers and recurrent encoder-decoders, outputs and gradients.

Usage: goldens_rnn.py [FILE]        needs torch 2.15.0, on a CPU

Worked out in f64 from weights that are exact in f32, and stored as f32. Parameters have Fovea's names; a parameter of shape [..]
is stored as [2, ..]: its value and its gradient.

Layers: torch.nn.RNN, GRU and LSTM of two layers and both directions over packed sequences of different lengths. For a cell NAME
  NAME/x [2,T,B,in], NAME/lengths [B] i32, NAME/upstream [T,B,2H], NAME/y [T,B,2H], NAME/param.P      gradients of sum(y * upstream)
Models: the formulas of fovea/models/rnn_seq2seq.h, made of PyTorch's layers and cells. All read one batch,
  batch/source [B,S], source_lengths [B], target_in [B,T], target_out [B,T] (-1: no word), all i32; alignment [B,T,S]
and for a case NAME
  NAME/total [1]               sum over target words of the cross-entropy, smoothed by 0.1; plus 0.5 times the guided term
  NAME/log_probs [B,T]; NAME/look [B,H,T,S] where the model looks; 0 beyond the last word
  NAME/param.P                                                                                  gradients of the total
Under __metadata__: "layers", a JSON list of cells, and "models", one of {"name", "guided", "config"}, the last as in config.json.
"""
import json
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from goldens import DOT_SCORES, NearRounding, save, scores_of

SIZES = {"source_vocab": 9, "target_vocab": 8, "dim_emb": 3, "dim_rnn": 4, "max_keys": 6}
DEFAULTS = {"cell": "gru", "attention": "bahdanau", "score": "additive", "heads": 1, "enc_depth": 1, "dec_depth": 1,
            "bidirectional": True, "input_feeding": False, "local": "none", "window": 1, "dim_readout": 0,
            "tied_embeddings": False, "tied_embeddings_all": False}
SOURCE_LENGTHS, TARGET_LENGTHS = [5, 2, 4], [3, 4, 1]
SMOOTHING, GUIDED = 0.1, 0.5

MODELS = {
    **{f"bahdanau-{score}": {"score": score} for score in ["dot", "scaled_dot", "general", "additive", "concat", "location"]},
    "bahdanau-additive-lstm": {"cell": "lstm"},
    "bahdanau-additive-tanh": {"cell": "tanh"},
    "bahdanau-dot-lstm": {"cell": "lstm", "score": "dot"},
    "bahdanau-general-lstm": {"cell": "lstm", "score": "general"},
    "bahdanau-one-direction": {"bidirectional": False, "score": "dot"},
    "bahdanau-two-heads": {"heads": 2},
    "bahdanau-deep": {"cell": "lstm", "enc_depth": 2, "dec_depth": 2},
    "bahdanau-readout": {"dim_readout": 5},
    "bahdanau-tied": {"tied_embeddings": True},
    "bahdanau-local-m": {"local": "local-m"},
    "bahdanau-local-p": {"local": "local-p", "window": 2},
    "bahdanau-guided": {},
    "luong-general": {"attention": "luong", "score": "general"},
    "luong-dot-lstm": {"attention": "luong", "score": "dot", "cell": "lstm"},
    "luong-feeding": {"attention": "luong", "score": "general", "input_feeding": True},
    "luong-feeding-deep-lstm": {"attention": "luong", "score": "general", "input_feeding": True, "cell": "lstm", "dec_depth": 2},
    "luong-two-heads": {"attention": "luong", "score": "scaled_dot", "heads": 2},
    "luong-local-m": {"attention": "luong", "score": "general", "local": "local-m"},
    "luong-local-p": {"attention": "luong", "score": "general", "local": "local-p", "window": 2},
    "luong-tied-all": {"attention": "luong", "tied_embeddings_all": True, "source_vocab": 8},
    "luong-guided": {"attention": "luong"},
    "bottleneck-gru": {"attention": "bottleneck"},
    "bottleneck-lstm-deep": {"attention": "bottleneck", "cell": "lstm", "enc_depth": 2, "dec_depth": 2},
    "bottleneck-tanh": {"attention": "bottleneck", "cell": "tanh", "bidirectional": False},
}

LAYERS = {"tanh": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}
CELLS = {"tanh": nn.RNNCell, "gru": nn.GRUCell, "lstm": nn.LSTMCell}


def draw(*shape, scale=1.0):
    """Normal numbers, exact in f32."""
    return (torch.randn(*shape) * scale).double()


def redraw(module, scale):
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(draw(*p.shape, scale=scale))


def run_packed(layer, x, lengths):
    """y [T,B,..] of x [T,B,in]."""
    packed = pack_padded_sequence(x, torch.tensor(lengths), enforce_sorted=False)
    return pad_packed_sequence(layer(packed)[0], total_length=x.shape[0])[0]


def names_of_layers(layer, prefix, of):
    """The weights of nn.RNN, GRU or LSTM; `of` gives a parameter's value or its gradient."""
    named, ends = {}, ["", "_reverse"] if layer.bidirectional else [""]
    for i in range(layer.num_layers):
        part = lambda what, end: of(getattr(layer, f"{what}_l{i}{end}"))
        at = f"{prefix}{i}."
        named[at + "input.weight"] = torch.cat([part("weight_ih", end) for end in ends])
        named[at + "input.bias"] = torch.cat([part("bias_ih", end) for end in ends])
        for end, ours in zip(ends, ["", "back."]):
            named[f"{at}{ours}state.weight"] = part("weight_hh", end)
            named[f"{at}{ours}state.bias"] = part("bias_hh", end)
    return named


class Seq2Seq(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c = c = config
        E, R = c["dim_emb"], c["dim_rnn"]
        self.states = 2 if c["cell"] == "lstm" else 1
        self.words = nn.Embedding(c["target_vocab"], E)
        self.source_words = self.words if c["tied_embeddings_all"] else nn.Embedding(c["source_vocab"], E)
        self.encoder = LAYERS[c["cell"]](E, R, c["enc_depth"], bidirectional=c["bidirectional"])
        read = R * (1 + c["bidirectional"])
        self.start = nn.Linear(read, c["dec_depth"] * self.states * R)
        looks, luong = c["attention"] != "bottleneck", c["attention"] == "luong"
        context = read
        self.score, self.key = nn.ParameterDict(), None
        if looks:
            H = c["heads"]
            head, key_head = R // H, read // H
            if H > 1:
                self.project = nn.ModuleDict({"query": nn.Linear(R, R, False), "key": nn.Linear(read, R, False),
                                              "value": nn.Linear(read, R, False), "out": nn.Linear(R, R, False)})
                context, key_head = R, head
            elif c["score"] in DOT_SCORES and read != R:
                self.key = nn.Linear(read, R, False)
                key_head = R
            shapes = {"general": {"W": (head, key_head)}, "concat": {"W": (head, head + key_head), "v": (head,)},
                      "additive": {"Wq": (head, head), "Wk": (head, key_head), "v": (head,)},
                      "location": {"W": (c["max_keys"], head)}}.get(c["score"], {})
            for name, shape in shapes.items():
                self.score[name] = nn.Parameter(torch.empty(H, *shape))
            if c["local"] == "local-p":
                self.centre_w, self.centre_v = (nn.Parameter(torch.empty(H, *s)) for s in ((head, head), (head,)))
        tied = c["tied_embeddings"] or c["tied_embeddings_all"]
        readout = E if tied else c["dim_readout"] or (R if luong else 0)
        self.seen = (readout if c["input_feeding"] else 0) if luong else context
        self.cells = nn.ModuleList(CELLS[c["cell"]](E + self.seen if i == 0 else R, R) for i in range(c["dec_depth"]))
        self.readout = nn.Linear(R + context, readout) if readout else None
        self.output = nn.Linear(readout or R + context, c["target_vocab"])
        self.tied = tied
        self.double()
        redraw(self, 0.6)

    def names(self, of):
        """By Fovea's names."""
        c, E = self.c, self.c["dim_emb"]
        if c["tied_embeddings_all"]:
            named = {"embedding.weight": of(self.words.weight)}
        else:
            named = {"source_embedding.weight": of(self.source_words.weight), "target_embedding.weight": of(self.words.weight)}
        named |= names_of_layers(self.encoder, "encoder.", of)
        linears = {"start.": self.start}
        if self.key:
            linears["key."] = self.key
        if hasattr(self, "project"):
            linears |= {f"attention.{name}.": layer for name, layer in self.project.items()}
        if self.readout:
            linears["readout."] = self.readout
        for name, layer in linears.items():
            named[name + "weight"] = of(layer.weight)
            if layer.bias is not None:
                named[name + "bias"] = of(layer.bias)
        if not self.tied:
            named["output.weight"] = of(self.output.weight)
        named["output.bias"] = of(self.output.bias)
        named |= {f"attention.score.{name}": of(p) for name, p in self.score.items()}
        if hasattr(self, "centre_w"):
            named |= {"attention.centre.weight": of(self.centre_w), "attention.centre.vector": of(self.centre_v)}
        for i, cell in enumerate(self.cells):
            inputs = of(cell.weight_ih)
            named[f"decoder.{i}.input.weight"] = inputs[:, :E] if i == 0 else inputs
            if i == 0 and self.seen:
                named["decoder.0.context.weight"] = inputs[:, E:]
            named[f"decoder.{i}.input.bias"] = of(cell.bias_ih)
            named[f"decoder.{i}.state.weight"] = of(cell.weight_hh)
            named[f"decoder.{i}.state.bias"] = of(cell.bias_hh)
        return named

    def attend(self, query, h, lengths, t):
        """Context [B,C], map [B,heads,S] and softmax of the scores [B,heads,S] for queries [B,R] of step t, h [B,S,read]."""
        c, (B, S) = self.c, h.shape[:2]
        H = c["heads"]
        if H > 1:
            query, keys, values = self.project["query"](query), self.project["key"](h), self.project["value"](h)
        else:
            keys, values = self.key(h) if self.key else h, h
        j, maps, shares, contexts = torch.arange(S), [], [], []
        for q, k, v, i in zip(query.chunk(H, -1), keys.chunk(H, -1), values.chunk(H, -1), range(H)):
            e = scores_of(c["score"], q[:, None, None], k[:, None], {name: p[i] for name, p in self.score.items()})[:, 0, 0]
            seen = j < lengths[:, None]
            if c["local"] == "local-m":
                seen = seen & ((j - t).abs() <= c["window"])
            if c["local"] == "local-p":
                centre = (torch.sigmoid(torch.tanh(q @ self.centre_w[i].T) @ self.centre_v[i]) * lengths)[:, None]
                if ((centre - centre.floor()) - 0.5).abs().min() < 0.02:
                    raise NearRounding
                seen = seen & ((centre.detach().round() - j).abs() <= c["window"])
            blind = ~seen.any(-1, keepdim=True)
            w = e.masked_fill(~seen & ~blind, -math.inf).masked_fill(blind, 0).softmax(-1).masked_fill(blind, 0)
            shares.append(w)
            if c["local"] == "local-p":
                w = w * torch.exp(-((j - centre) ** 2) / (2 * (c["window"] / 2) ** 2))
            maps.append(w)
            contexts.append((w[:, None] @ v)[:, 0])
        context = torch.cat(contexts, -1)
        if H > 1:
            context = self.project["out"](context)
        return context, torch.stack(maps, 1), torch.stack(shares, 1)

    def forward(self, source, source_lengths, target_in):
        """Logits [B,T,V], map and softmax of the scores [B,heads,T,S], or None."""
        c, R, lengths = self.c, self.c["dim_rnn"], torch.tensor(source_lengths)
        h = run_packed(self.encoder, self.source_words(source.T), source_lengths)
        rows = torch.arange(len(source_lengths))
        last = h[lengths - 1, rows][:, :R]
        if c["bidirectional"]:
            last = torch.cat([last, h[0][:, R:]], -1)
        return self.decode(h.transpose(0, 1), last, lengths, target_in)

    def decode(self, h, last, lengths, target_in):
        """The same from annotations h [B,S,read] and their summary [B,read]."""
        c = self.c
        start = torch.tanh(self.start(last)).unflatten(-1, (len(self.cells), self.states, c["dim_rnn"]))
        state = [tuple(layer.unbind(1)) for layer in start.unbind(1)]
        fed = torch.zeros(len(last), self.seen).double()
        outputs, maps, shares = [], [], []
        for t in range(target_in.shape[1]):
            x = self.words(target_in[:, t])
            if c["attention"] == "bahdanau":
                context, look, share = self.attend(state[-1][0], h, lengths, t)
                x = torch.cat([x, context], -1)
            elif c["attention"] == "luong":
                x = torch.cat([x, fed], -1)
            else:
                context, look, share = last, None, None
                x = torch.cat([x, last], -1)
            for i, cell in enumerate(self.cells):
                after = cell(x, state[i] if self.states == 2 else state[i][0])
                state[i] = after if self.states == 2 else (after,)
                x = state[i][0]
            if c["attention"] == "luong":
                context, look, share = self.attend(x, h, lengths, t)
            out = torch.cat([x, context], -1)
            if self.readout:
                out = torch.tanh(self.readout(out))
            if c["input_feeding"]:
                fed = out
            outputs.append(out)
            maps.append(look)
            shares.append(share)
        weight = self.words.weight if self.tied else self.output.weight
        logits = F.linear(torch.stack(outputs, 1), weight, self.output.bias)
        return (logits, torch.stack(maps, 2), torch.stack(shares, 2)) if maps[0] is not None else (logits, None, None)


def both(named_by):
    """Values and gradients, stacked."""
    values = named_by(lambda p: p)
    grads = named_by(lambda p: torch.zeros_like(p) if p.grad is None else p.grad)  # location never sees keys
    return {"param." + name: torch.stack([x, grads[name]]) for name, x in values.items()}


def make_batch():
    torch.manual_seed(50)
    B, S, T = len(SOURCE_LENGTHS), max(SOURCE_LENGTHS), max(TARGET_LENGTHS)
    source, target_in, target_out = torch.zeros(B, S).long(), torch.zeros(B, T).long(), torch.full((B, T), -1)
    alignment = torch.zeros(B, T, S).double()
    sos, eos = torch.tensor([2]), torch.tensor([3])
    for b, (s, t) in enumerate(zip(SOURCE_LENGTHS, TARGET_LENGTHS)):
        source[b, :s] = torch.cat([torch.randint(4, 8, (s - 1,)), eos])
        words = torch.randint(4, 8, (t - 1,))
        target_in[b, :t], target_out[b, :t] = torch.cat([sos, words]), torch.cat([words, eos])
        alignment[b, t - 1, s - 1] = 1  # words between the first and the last have no link
        alignment[b, 0] = 0
        alignment[b, 0, :2] = 0.5
    return {"source": source, "source_lengths": torch.tensor(SOURCE_LENGTHS), "target_in": target_in,
            "target_out": target_out, "alignment": alignment}


def run_model(config, guided, batch, seed):
    torch.manual_seed(seed)
    model = Seq2Seq(config)
    targets = batch["target_out"]
    try:
        logits, look, share = model(batch["source"], SOURCE_LENGTHS, batch["target_in"])
    except NearRounding:
        return run_model(config, guided, batch, seed + 1000)
    total = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1, label_smoothing=SMOOTHING,
                            reduction="sum")
    if guided:
        total = total - GUIDED * (batch["alignment"][:, None] * (share + 1e-9).log()).sum() / model.c["heads"]
    total.backward()
    told = targets >= 0
    log_probs = logits.log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0] * told
    tensors = {"total": total[None], "log_probs": log_probs} | both(model.names)
    return tensors if look is None else tensors | {"look": look * told[:, None, :, None]}


def run_layer(cell, seed):
    torch.manual_seed(seed)
    T, lengths = 5, [3, 5, 1, 4]
    layer = LAYERS[cell](3, 4, 2, bidirectional=True).double()
    redraw(layer, 0.6)
    x = draw(T, len(lengths), 3).requires_grad_()
    y = run_packed(layer, x, lengths)
    upstream = draw(*y.shape)
    (y * upstream).sum().backward()
    return {"x": torch.stack([x, x.grad]), "lengths": torch.tensor(lengths), "upstream": upstream, "y": y,
            **both(lambda of: names_of_layers(layer, "", of))}


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/goldens/rnn.safetensors"
    tensors, models = {}, []

    def keep(case, made):
        for name, x in made.items():
            x = x.detach().contiguous()
            tensors[f"{case}/{name}"] = x.float() if x.is_floating_point() else x.int()

    for number, cell in enumerate(LAYERS):
        keep(cell, run_layer(cell, number))
    batch = make_batch()
    keep("batch", batch)
    for number, (name, changes) in enumerate(MODELS.items()):
        config, guided = {**SIZES, **DEFAULTS, **changes}, name.endswith("guided")
        keep(name, run_model(config, guided, batch, 100 + number))
        models.append({"name": name, "guided": guided, "config": {"model_type": "rnn", **config}})
    made_with = f"torch {torch.__version__.split('+')[0]}, f64 on a CPU, tools/goldens_rnn.py"
    compact = lambda value: json.dumps(value, separators=(",", ":"))
    save(path, tensors, {"made_with": made_with, "layers": compact(list(LAYERS)), "models": compact(models)})
    print(f"{len(LAYERS)} layers, {len(models)} models, {len(tensors)} tensors in {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
