#!/usr/bin/env python3
"""CTranslate2's side of bench/compare.py: a Transformer base (6 + 6 layers, 512 wide, V 8001) with random weights, 20 words a sentence.

Usage: peer_ct2.py THREADS DIRECTORY       the model is made in DIRECTORY by the first run, by random_models.py
Answers on pipes as peer_torch.py does; the first line out is {"ctranslate2": version}.
"""
import json
import os
import resource
import subprocess
import sys
import time

import ctranslate2

VOCABULARY, WORDS = 8001, 20
# name: (sentences, of them side by side, beams, what weights are kept in)
CASES = {
    "decode/base_f32_b1": (8, 1, 1, "float32"),
    "decode/base_f32_b32": (32, 32, 1, "float32"),
    "decode/base_f32_b32_beam4": (32, 32, 4, "float32"),
    "decode/base_int8_b1": (8, 1, 1, "int8"),
}


def make(directory):
    """CTranslate2's form of the base model of random_models.py."""
    import random_models

    converted = os.path.join(directory, "base-ct2")
    if not os.path.exists(os.path.join(converted, "model.bin")):
        converter = os.path.join(os.path.dirname(sys.executable), "ct2-transformers-converter")
        model = str(random_models.make(directory, "base"))
        subprocess.run([converter, "--model", model, "--output_dir", converted, "--force"], check=True, stdout=sys.stderr)
    return converted


def main():
    threads, directory = int(sys.argv[1]), sys.argv[2]
    converted = make(directory)
    with open(os.path.join(directory, "base", "vocab.json")) as file:
        words = [word for word, i in json.load(file).items() if 2 <= i < VOCABULARY - 1]
    print(json.dumps({"ctranslate2": ctranslate2.__version__}), flush=True)
    translator, kept_in = None, None
    for line in sys.stdin:
        request = json.loads(line)
        count, batch, beams, kind = CASES[request["name"]]
        if kind != kept_in:
            translator, kept_in = None, kind
            translator = ctranslate2.Translator(converted, device="cpu", compute_type=kind, inter_threads=1, intra_threads=threads)
        sources = [[words[(i * 31 + j * 7) % len(words)] for j in range(7 + i * 5 % 13)] + ["</s>"] for i in range(count)]

        def run():
            translator.translate_batch(sources, max_batch_size=batch, beam_size=beams, min_decoding_length=WORDS, max_decoding_length=WORDS)

        run()
        best = 1e9
        for _ in range(request["rounds"]):
            start = time.perf_counter()
            run()
            best = min(best, time.perf_counter() - start)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"ms": 1e3 * best, "peak_mib": peak}), flush=True)


if __name__ == "__main__":
    main()
