#!/usr/bin/env python3
"""Sentence vectors of `fovea embed` beside those of sentence-transformers: the least cosine between the two.

Usage: compare_embeddings.py MODEL_DIR LINES [--fovea build/fovea] [--lines 500]
LINES: a text file, plain or gzip. Needs sentence-transformers.
"""
import argparse
import gzip
import os
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--fovea", default="build/fovea")
    parser.add_argument("--lines", type=int, default=500)
    parser.add_argument("--batch", type=int, default=32)
    options = parser.parse_args()
    import numpy as np
    from sentence_transformers import SentenceTransformer

    opened = gzip.open if options.text.endswith(".gz") else open
    with opened(options.text, "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()[:options.lines]
    theirs = SentenceTransformer(options.model, device="cpu").encode(lines, convert_to_numpy=True)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "vectors.npy")
        subprocess.run([options.fovea, "embed", "-m", options.model, "--batch", str(options.batch), "--out", path], input="\n".join(lines) + "\n", text=True, check=True)
        ours = np.load(path)
    cosines = (ours * theirs).sum(1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)
    print(f"{len(lines)} sentences, vectors of {ours.shape[1]}: least cosine {cosines.min():.8f}, largest difference {np.abs(ours - theirs).max():.2e}")
    return 0 if cosines.min() >= 0.99999 else 1


if __name__ == "__main__":
    sys.exit(main())
