#!/usr/bin/env python3
"""Models that Fovea trained, opened by transformers' from_pretrained: the largest difference between logits, and whether ids are the same;
and a translator that CTranslate2 converted: how many of its greedy translations are ours.

Usage: compare_exports.py TEXT [--fovea build/fovea]       TEXT: some lines of any plain text
Trains small models of every layout for a few updates. Needs torch, transformers, Pillow and ctranslate2.
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

VIT = ["--model", "vit", "--corpus-size", "200", "--picture-size", "28", "--patch-size", "7", "--enc-depth", "2", "--dim-model", "32", "--dim-ffn", "64"]


def compare_pictures(work, fovea, tell):
    """A vit, and the picture as each side prepares it. The corpus is grey and 28 x 28; a larger picture in colour is resized, too."""
    import numpy as np
    import torch
    from PIL import Image
    from transformers import ViTForImageClassification, ViTImageProcessorPil

    out, corpus, array = os.path.join(work, "vit"), os.path.join(work, "digits"), os.path.join(work, "x.npy")
    fovea("train", *VIT, *SMALL, "--corpus", "digits", "--out", out)
    fovea("corpus", "digits", "--out", corpus, "--train", "1", "--valid", "1", "--test", "1")
    model, processor = ViTForImageClassification.from_pretrained(out + "/last").eval(), ViTImageProcessorPil.from_pretrained(out + "/last")
    small, large = os.path.join(corpus, "test/000000.png"), os.path.join(work, "large.png")
    Image.open(small).resize((90, 61)).rotate(10).save(large)
    for name, path in (("vit", small), ("vit, resized", large)):
        with torch.no_grad():
            theirs = model(processor(Image.open(path).convert("L"), return_tensors="pt").pixel_values).logits.numpy()
        fovea("logits", "-m", out + "/last", "--picture", path, "--out", array)
        tell(name, theirs, np.load(array))


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
                                  ("qwen2", AutoModelForCausalLM, [*GPT, "--layout", "qwen2", "--n-kv-head", "2"]), ("bert", AutoModelForMaskedLM, [*BERT])]:
            out = os.path.join(work, name)
            fovea("train", *flags, *SMALL, "--train-sets", options.text, "--out", out)
            out += "/last"
            ids = AutoTokenizer.from_pretrained(out)(SENTENCE).input_ids
            same = [int(x) for x in fovea("tokenize", "-m", out, "--ids", input=SENTENCE + "\n").split()] == ids
            with torch.no_grad():
                tell(name, kind.from_pretrained(out).eval()(torch.tensor([ids])).logits[0].numpy(), logits(out, ids), same)
        compare_pictures(work, fovea, lambda name, theirs, ours: tell(name, theirs, ours, True))
        out, exported = os.path.join(work, "pair"), os.path.join(work, "marian")
        lines = [line for line in open(options.text, encoding="utf-8").read().splitlines() if 20 < len(line) < 60][:2000]
        pairs = os.path.join(work, "pairs.tsv")
        with open(pairs, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\t{line}\n" for line in lines)
        fovea("train", *MARIAN, "--after", "600u", "--learn-rate", "0.004", "--quiet", "--train-sets", pairs, "--out", out)
        fovea("convert", "--from", out, "--to", exported, "--format", "hf")
        source = AutoTokenizer.from_pretrained(exported)(SENTENCE).input_ids
        same = [int(x) for x in fovea("tokenize", "-m", exported, "--ids", input=SENTENCE + "\n").split()] == source
        target = [2, 11, 12, 13]
        with torch.no_grad():
            theirs = MarianMTModel.from_pretrained(exported).eval()(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([target])).logits[0].numpy()
        tell("marian", theirs, logits(exported, target, "--source-ids", ",".join(map(str, source))), same)
        import ctranslate2

        converted, tokenizer = os.path.join(work, "ct2"), AutoTokenizer.from_pretrained(exported)
        ctranslate2.converters.TransformersConverter(exported).convert(converted)
        some = lines[:100]
        ours = fovea("translate", "-m", out, "--beam-size", "1", input="".join(f"{line}\n" for line in some)).splitlines()
        tokens = [tokenizer.convert_ids_to_tokens(tokenizer(line).input_ids) for line in some]
        found = ctranslate2.Translator(converted, compute_type="float32").translate_batch(tokens, beam_size=1, max_decoding_length=512)
        theirs = [tokenizer.decode(tokenizer.convert_tokens_to_ids(one.hypotheses[0])) for one in found]
        # Where ours was stopped because it was too long, theirs may go on.
        same = sum(b == a or (len(a) > 3 * len(line) and b.startswith(a)) for line, a, b in zip(some, ours, theirs))
        print(f"ctranslate2  {same} of {len(some)} greedy translations are ours; the first: {ours[0]!r}", flush=True)
        if same < len(some):
            worst = 1e9
            print(*[(a, b) for a, b in zip(ours, theirs) if a != b][:3], sep="\n")
    return 0 if worst < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
