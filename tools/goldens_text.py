#!/usr/bin/env python3
"""Makes tests/goldens/text.safetensors with Hugging Face transformers: the cost of models that continue or read texts, and the gradient of
every weight.

Usage: goldens_text.py [FILE]        needs torch 2.15.0 and transformers 5.23, on a CPU

Worked out in f64 from weights that are exact in f32, and stored as f32. For a model NAME the file holds
  NAME/ids [B,T] i32, NAME/targets [B,T] or [B,1] i32 (-1: none)        what it reads, and what is to come out
  NAME/segments [B,T], NAME/lengths [B] i32                             bert
  NAME/total [1]                                                        the sum of the cross-entropy over targets
  NAME/weights/TENSOR [2,..]                                            the tensors of its model.safetensors and the gradients of the total
and under __metadata__ "models", a JSON list of {"name", "config"}.
"""
import json
import os
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import torch.nn.functional as F
import transformers as hf
from safetensors.torch import load_file

from goldens import save
from goldens_hf import BERT, GPT2, LLAMA, V, spread

B, T = 3, 8
EXACT = dict(attn_implementation="eager")
DRY = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
DRY_GPT2 = dict(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
MODELS = {
    "gpt2": lambda: hf.GPT2LMHeadModel(hf.GPT2Config(**GPT2, **DRY_GPT2, **EXACT)),
    "gpt2-untied": lambda: hf.GPT2LMHeadModel(
        hf.GPT2Config(**GPT2, **DRY_GPT2, **EXACT, tie_word_embeddings=False, n_inner=20, activation_function="relu")),
    "llama": lambda: hf.LlamaForCausalLM(hf.LlamaConfig(**LLAMA, **EXACT)),
    "llama-tied": lambda: hf.LlamaForCausalLM(
        hf.LlamaConfig(**LLAMA | dict(num_key_value_heads=4), **EXACT, tie_word_embeddings=True, rope_theta=500.0)),
    "bert-words": lambda: hf.BertForMaskedLM(hf.BertConfig(**BERT, **DRY, **EXACT)),
    "bert-labels": lambda: hf.BertForSequenceClassification(hf.BertConfig(**BERT, **DRY, **EXACT, num_labels=3)),
    "bert-token-labels": lambda: hf.BertForTokenClassification(hf.BertConfig(**BERT, **DRY, **EXACT, num_labels=4)),
}


def run(model):
    """What it reads, and the total, whose gradients are left in the model."""
    ids = torch.randint(3, V - 1, (B, T))
    if model.config.model_type != "bert":
        logits, choices, read = model(ids).logits, V, {}
    else:
        lengths, segments = torch.tensor([8, 5, 7]), torch.randint(0, 2, (B, T))
        seen = (torch.arange(T) < lengths[:, None]).long()
        logits = model(input_ids=ids, token_type_ids=segments, attention_mask=seen).logits
        choices, read = logits.shape[-1], {"segments": segments, "lengths": lengths}
    targets = torch.randint(0, choices, logits.shape[:-1])
    if logits.dim() == 2:
        targets = targets[:, None]
    elif read:
        targets[(torch.arange(T) % 2 == 1) | (seen == 0)] = -1
    total = F.cross_entropy(logits.flatten(0, -2), targets.flatten(), ignore_index=-1, reduction="sum")
    total.backward()
    return read | {"ids": ids, "targets": targets, "total": total.detach().reshape(1)}


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/goldens/text.safetensors"
    tensors, models = {}, []
    for number, (name, make) in enumerate(MODELS.items()):
        torch.manual_seed(700 + number)
        model = make().eval()
        spread(model)
        with tempfile.TemporaryDirectory() as directory:
            model.save_pretrained(directory)
            config = json.load(open(os.path.join(directory, "config.json")))
            weights = load_file(os.path.join(directory, "model.safetensors"))
        model.double()
        for key, value in run(model).items():
            tensors[f"{name}/{key}"] = value.float() if value.is_floating_point() else value.int()
        grads = dict(model.named_parameters())
        for key, value in weights.items():
            tensors[f"{name}/weights/{key}"] = torch.stack([value, grads[key].grad.float()]).contiguous()
        models.append({"name": name, "config": config})
    made_with = f"torch {torch.__version__.split('+')[0]}, transformers {hf.__version__}, tools/goldens_text.py"
    save(path, tensors, {"made_with": made_with, "models": json.dumps(models, separators=(",", ":"))})
    print(f"{len(models)} models, {len(tensors)} tensors in {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
