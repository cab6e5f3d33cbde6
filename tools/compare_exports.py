#!/usr/bin/env python3
"""Models that Fovea trained, opened by transformers' from_pretrained: the largest difference between logits, and whether ids are the same.

Usage: compare_exports.py TEXT [--fovea build/fovea]       TEXT: some lines of any plain text
Trains small models of every layout for a few updates. Needs torch and transformers.
"""
import argparse
import os
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
SENTENCE = "To be or not to be, that is the question"
SMALL = ["--after", "20u", "--lr-warmup", "5u", "--quiet"]
GPT = ["--model", "gpt", "--tokenizer", "bpe", "--vocab-size", "400", "--n-layer", "2", "--n-head", "4", "--n-embd", "32", "--block-size", "32"]
BERT = ["--model", "bert", "--tokenizer", "wordpiece", "--vocab-size", "500", "--enc-depth", "2", "--dim-model", "32", "--dim-ffn", "64"]
MARIAN = ["--model", "transformer", "--tokenizer", "spm", "--vocab-size", "400", "--joint-vocab", "--tied-embeddings-all", "--norm", "post",
          "--dim-model", "32", "--dim-ffn", "64", "--heads", "4", "--enc-depth", "2", "--dec-depth", "2"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text")
    parser.add_argument("--fovea", default="build/fovea")
    options = parser.parse_args()
    import numpy as np
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer, MarianMTModel

    def fovea(*arguments, **how):
        return subprocess.run([options.fovea, *arguments], check=True, text=True, capture_output=True, **how).stdout

    worst = 0.0
    with tempfile.TemporaryDirectory() as work:
        def logits(model, ids, *more):
            path = os.path.join(work, "logits.npy")
            fovea("logits", "-m", model, "--ids", ",".join(map(str, ids)), "--out", path, *more)
            return np.load(path)

        def tell(name, theirs, ours, same_ids):
            nonlocal worst
            difference = float(np.abs(theirs - ours).max())
            worst = max(worst, difference if same_ids else 1e9)
            print(f"{name:12} largest difference of logits {difference:.2e}, ids {'the same' if same_ids else 'DIFFER'}", flush=True)

        for name, kind, flags in [("gpt2", AutoModelForCausalLM, [*GPT]), ("llama", AutoModelForCausalLM, [*GPT, "--layout", "llama", "--n-kv-head", "2"]),
                                  ("bert", AutoModelForMaskedLM, [*BERT])]:
            out = os.path.join(work, name)
            fovea("train", *flags, *SMALL, "--train-sets", options.text, "--out", out)
            out += "/last"
            ids = AutoTokenizer.from_pretrained(out)(SENTENCE).input_ids
            same = [int(x) for x in fovea("tokenize", "-m", out, "--ids", input=SENTENCE + "\n").split()] == ids
            with torch.no_grad():
                tell(name, kind.from_pretrained(out).eval()(torch.tensor([ids])).logits[0].numpy(), logits(out, ids), same)
        out, exported = os.path.join(work, "pair"), os.path.join(work, "marian")
        fovea("train", *MARIAN, *SMALL, "--train-sets", options.text, options.text, "--out", out)
        fovea("convert", "--from", out, "--to", exported, "--format", "hf")
        source = AutoTokenizer.from_pretrained(exported)(SENTENCE).input_ids
        same = [int(x) for x in fovea("tokenize", "-m", exported, "--ids", input=SENTENCE + "\n").split()] == source
        target = [2, 11, 12, 13]
        with torch.no_grad():
            theirs = MarianMTModel.from_pretrained(exported).eval()(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([target])).logits[0].numpy()
        tell("marian", theirs, logits(exported, target, "--source-ids", ",".join(map(str, source))), same)
    return 0 if worst < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
