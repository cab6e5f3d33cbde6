#!/usr/bin/env python3
"""Makes tests/goldens/pictures_ops.safetensors with PyTorch: operations on pictures, results and gradients.

Usage: goldens_pictures_ops.py [FILE]        needs torch 2.15.0, on a CPU

Worked out in f64 from inputs that are exact in f32, and stored as f32, with pictures as [B, height, width, channels] and filters as
[channels out, height, width, channels in / groups]. For a case NAME the file holds
  NAME/x, NAME/w, NAME/bias (where the case has them), NAME/upstream, NAME/y, and NAME/dx, dw, dbias: gradients of sum(y * upstream)
  NAME/mean, NAME/variance: of batch norm with given statistics
and under __metadata__ "cases", a JSON list of {"name", "operation", and its options}.
"""
import json
import sys

import torch
import torch.nn.functional as F

from goldens import save

CASES = [
    {"name": "conv", "operation": "convolution", "x": [2, 3, 7, 6], "w": [5, 3, 3, 3], "padding": 1},
    {"name": "conv-many", "operation": "convolution", "x": [1, 20, 7, 6], "w": [18, 20, 3, 3], "padding": 1},
    {"name": "conv-strided", "operation": "convolution", "x": [2, 9, 8, 7], "w": [6, 9, 3, 3], "stride": 2, "padding": 1},
    {"name": "conv-dilated", "operation": "convolution", "x": [1, 2, 9, 8], "w": [4, 2, 3, 2], "padding": 2, "dilation": 3, "stride": 2},
    {"name": "conv-grouped", "operation": "convolution", "x": [2, 6, 5, 5], "w": [4, 3, 3, 3], "padding": 1, "groups": 2},
    {"name": "conv-depthwise", "operation": "convolution", "x": [2, 5, 6, 5], "w": [5, 1, 3, 3], "padding": 1, "groups": 5},
    {"name": "conv-larger-kernel", "operation": "convolution", "x": [1, 2, 2, 3], "w": [3, 2, 5, 5], "padding": 2},
    {"name": "conv-patches", "operation": "convolution", "x": [2, 3, 8, 8], "w": [7, 3, 4, 4], "stride": 4},
    {"name": "max", "operation": "max_pool", "x": [2, 3, 7, 6], "kernel": 2},
    {"name": "max-overlapping", "operation": "max_pool", "x": [2, 3, 7, 6], "kernel": 3, "stride": 2, "padding": 1},
    {"name": "average", "operation": "average_pool", "x": [2, 3, 7, 6], "kernel": 3, "stride": 2, "padding": 1},
    {"name": "global", "operation": "global_average_pool", "x": [2, 3, 5, 4]},
    {"name": "nearest", "operation": "nearest", "x": [1, 2, 5, 4], "size": [8, 3]},
    {"name": "bilinear-up", "operation": "bilinear", "x": [1, 2, 5, 4], "size": [9, 11]},
    {"name": "bilinear-down", "operation": "bilinear", "x": [2, 2, 8, 7], "size": [3, 4]},
    {"name": "batch-norm", "operation": "batch_norm", "x": [3, 4, 3, 2], "w": [4]},
    {"name": "batch-norm-given", "operation": "batch_norm_given", "x": [3, 4, 3, 2], "w": [4]},
    {"name": "group-norm", "operation": "group_norm", "x": [2, 6, 3, 4], "w": [6], "groups": 3},
]


def run(case, x, w, bias, given):
    get = case.get
    kind = case["operation"]
    if kind == "convolution":
        return F.conv2d(x, w, bias, get("stride", 1), get("padding", 0), get("dilation", 1), get("groups", 1))
    if kind == "max_pool":
        return F.max_pool2d(x, get("kernel"), get("stride"), get("padding", 0))
    if kind == "average_pool":
        return F.avg_pool2d(x, get("kernel"), get("stride"), get("padding", 0))
    if kind == "global_average_pool":
        return x.mean((2, 3))
    if kind in ("nearest", "bilinear"):
        return F.interpolate(x, size=get("size"), mode=kind, **({"align_corners": False} if kind == "bilinear" else {}))
    if kind == "group_norm":
        return F.group_norm(x, get("groups"), w, bias)
    if kind == "batch_norm":
        return F.batch_norm(x, None, None, w, bias, training=True)
    return F.batch_norm(x, *given, w, bias, training=False)


def last(x):
    """Channels go last."""
    return (x.permute(0, 2, 3, 1) if x.dim() == 4 else x).detach().float().contiguous()


def main():
    torch.manual_seed(11)
    tensors = {}

    def exact(*shape):
        return torch.randn(*shape).double()

    for case in CASES:
        leaves = {"x": exact(*case["x"])}
        if "w" in case:
            leaves |= {"w": exact(*case["w"]), "bias": exact(case["w"][0])}
        for leaf in leaves.values():
            leaf.requires_grad_()
        given = exact(case["x"][1]), exact(case["x"][1]).abs() + 0.5
        y = run(case, leaves["x"], leaves.get("w"), leaves.get("bias"), given)
        upstream = torch.randn(y.shape).double()
        y.backward(upstream)
        arrays = leaves | {"y": y, "upstream": upstream} | {f"d{name}": leaf.grad for name, leaf in leaves.items()}
        if case["operation"] == "batch_norm_given":
            arrays |= {"mean": given[0].float().double(), "variance": given[1].float().double()}
        tensors |= {f"{case['name']}/{name}": last(array) for name, array in arrays.items()}
    about = [{key: value for key, value in case.items() if key not in ("x", "w")} for case in CASES]
    save(sys.argv[1] if len(sys.argv) > 1 else "tests/goldens/pictures_ops.safetensors", tensors, {"cases": json.dumps(about)})


if __name__ == "__main__":
    main()
