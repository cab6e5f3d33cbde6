#!/usr/bin/env python3
"""The medium model of run.sh in PyTorch: the same text, sizes, optimiser and learning rate, for the same time.

Usage: torch_peer.py INPUT.TXT MINUTES [THREADS]
Prints minutes, updates and the loss over the whole validation part, each tenth of the time.
"""
import pathlib
import sys
import time

import torch
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from peer_torch import MEDIUM, Gpt

RATE, WARMUP = 1e-3, 100


def first_weights(model, depth):
    """GPT-2's, as nanoGPT and Fovea start."""
    for name, weight in model.named_parameters():
        if weight.dim() == 2:
            added = name.endswith(("merge.weight", "out.weight"))
            nn.init.normal_(weight, std=0.02 / (2 * depth) ** 0.5 if added else 0.02)


def main():
    text, minutes = pathlib.Path(sys.argv[1]).read_text(), float(sys.argv[2])
    torch.set_num_threads(int(sys.argv[3]) if len(sys.argv) > 3 else 2)
    torch.manual_seed(1)
    depth, heads, width, block, rows = MEDIUM
    letters = {c: i for i, c in enumerate(sorted(set(text)))}
    ids = torch.tensor([letters[c] for c in text])
    train, valid = ids[:len(ids) * 9 // 10], ids[len(ids) * 9 // 10:]
    model = Gpt(depth, heads, width, block, len(letters))
    first_weights(model, depth)
    decayed, others = [[p for p in model.parameters() if (p.dim() > 1) == matrix] for matrix in (True, False)]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0}],
                                  lr=RATE, betas=(0.9, 0.99), fused=True)

    def window(some, begins):
        return (torch.stack([some[b + shift:b + shift + block] for b in begins]) for shift in (0, 1))

    def measure():
        with torch.no_grad():
            begins = list(range(0, len(valid) - block, block))
            parts = [begins[i:i + rows] for i in range(0, len(begins), rows)]
            return sum(model(*window(valid, part)).item() * len(part) for part in parts) / len(begins)

    start, step, tenths = time.monotonic(), 0, 0
    while tenths < 10:
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARMUP)
        loss = model(*window(train, torch.randint(len(train) - block - 1, (rows,))))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        if time.monotonic() - start >= (tenths + 1) * minutes * 6:
            tenths += 1
            print(f"{(time.monotonic() - start) / 60:6.1f} minutes  {step:6} updates  validation loss {measure():.4f}", flush=True)


if __name__ == "__main__":
    main()
