#!/usr/bin/env python3
"""What a long text costs a language model, on the Llama of 30 layers x 576 with random weights that bench/compare.py starting makes.

A step after 2,200 tokens against one after 30, in 8 bits, with keys and values in f32 and in f16; and how fast 2,218 tokens are read in f32,
as a share of the machine's peak. The best of alternating rounds.

    bench/contexts.py --models DIR [--rounds 5] [--check]
"""
import argparse
import json
import pathlib
import random
import re
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parent
BARS = {"f32": 1.9, "f16": 1.5}
PREFILL_BAR = 0.6
LONG, SHORT, READ = 2200, 30, 2218
WRITTEN = 60


def words(count):
    draw = random.Random(1)
    return " ".join(draw.choice("bcdfgt") + draw.choice("aeio") + draw.choice("bcdfgt") + draw.choice("aeio") for _ in range(count))


def generate(options, model, cache, text):
    """Tokens read, seconds for them, and milliseconds a token that was written."""
    command = [options.fovea, "generate", "-m", str(options.models / model), "--temp", "0", "--ignore-eos", "-n", str(WRITTEN), "--stats",
               "--cache", cache, "--threads", str(options.threads), "--prompt", text]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    read, seconds, wrote = re.search(r"read (\d+) tokens in ([\d.]+) s; wrote \d+ in ([\d.]+) s", said).groups()
    return int(read), float(seconds), float(wrote) / WRITTEN * 1e3


def prompt_of(options, model, tokens):
    """Words that are at least so many tokens, and few more."""
    text = words(tokens)
    asked = subprocess.run([options.fovea, "tokenize", "-m", str(options.models / model)], input=text, check=True, capture_output=True, text=True)
    pieces = len(asked.stdout.split())
    return text[: len(text) * tokens // max(tokens, pieces)]


def prefill_flops(model, tokens):
    c = json.loads((model / "config.json").read_text())
    width, layers = c["hidden_size"], c["num_hidden_layers"]
    key_width = width // c["num_attention_heads"] * c["num_key_value_heads"]
    matrices = layers * (2 * width * width + 2 * width * key_width + 3 * width * c["intermediate_size"])
    attention = layers * 2 * width * tokens * (tokens + 1) / 2  # scores and contexts of what is seen
    return 2 * (matrices * tokens + attention)


def peak(options):
    command = [options.fovea, "bench", "gemm", "--filter", "64x64x64", "--threads", str(options.threads)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(re.search(r"FMA ([\d.]+) GFLOP/s", said).group(1)) * 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, required=True, metavar="DIR", help="where bench/compare.py starting left its models")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a bar is missed")
    parser.add_argument("--fovea", default=str(BENCH.parent / "build" / "fovea"), metavar="FILE", help="the command (build/fovea)")
    options = parser.parse_args()

    short, long = prompt_of(options, "llama-int8", SHORT), prompt_of(options, "llama-int8", LONG)
    steps = {}
    for _ in range(options.rounds):
        for cache in BARS:
            for name, text in (("short", short), ("long", long)):
                read, _, ms = generate(options, "llama-int8", cache, text)
                steps.setdefault((cache, name), []).append((ms, read))
    missed = []
    print(f"{'case':<24}{'after':>8}{'ms':>9}{'after':>8}{'ms':>9}{'ratio':>8}")
    for cache, bar in BARS.items():
        (before, few), (after, many) = min(steps[cache, "short"]), min(steps[cache, "long"])
        print(f"{'step/int8_cache_' + cache:<24}{few:>8}{before:>9.2f}{many:>8}{after:>9.2f}{after / before:>8.2f} (<= {bar})")
        if after / before > bar:
            missed.append(f"a step with --cache {cache} takes {after / before:.2f} times as long, at most {bar} wanted")

    text = prompt_of(options, "llama-f32", READ)
    rounds = []
    for _ in range(options.rounds):
        read, seconds, _ = generate(options, "llama-f32", "f32", text)
        rounds.append(prefill_flops(options.models / "llama-f32", read) / seconds / peak(options))
    print(f"prefill/f32: {read} tokens at {max(rounds):.1%} of the peak (>= {PREFILL_BAR:.0%})")
    if max(rounds) < PREFILL_BAR:
        missed.append(f"reading runs at {max(rounds):.1%} of the peak, at least {PREFILL_BAR:.0%} wanted")
    for what in missed if options.check else []:
        print(f"[contexts] missed: {what}", file=sys.stderr)
    return 1 if missed and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
