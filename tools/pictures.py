#!/usr/bin/env python3
"""Makes the pictures of the docs.   Usage: pictures.py [build/fovea] [docs/images] [MODEL]
Those of docs/attention.md come from `fovea attend`, on arrays in a temporary directory. Those of docs/corpora.md come from `fovea corpus`. Those of docs/looking.md come from `fovea look`, and are
made where MODEL is given: a model trained on the corpus `grammar`. Only the standard library is used; the picture of the page needs chromium."""
import math
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

FOVEA = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/fovea").resolve()
OUT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "docs/images").resolve()
WORDS = "The animal did not cross the street because it was too tired".split()
LONG = "he slept because he was tired , but she worked in the library ."
MODEL = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
WIDTH = 8


def npy(path, rows, kind="f"):
    """rows: nested lists of numbers, one or two deep."""
    shape = (len(rows), len(rows[0])) if isinstance(rows[0], list) else (len(rows),)
    flat = [x for row in rows for x in row] if len(shape) == 2 else rows
    text = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % ({"f": "<f4", "i": "<i4"}[kind], shape)
    text += " " * (-(len(text) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack(f"<{len(flat)}{kind}", *flat))
    return str(path)


def vectors(count, spread, seed):
    rng = random.Random(seed)
    return [[rng.gauss(0, spread) for _ in range(WIDTH)] for _ in range(count)]


# Words with something in common get vectors with something in common: "it" asks for the animal, and so on.
def sentence():
    rng = random.Random(7)
    topics = [0, 1, 2, 2, 3, 0, 4, 5, 1, 2, 6, 6]
    base = vectors(7, 1.0, 3)
    key = [[x + rng.gauss(0, 0.3) for x in base[t]] for t in topics]
    query = [[1.4 * x + rng.gauss(0, 0.3) for x in base[t]] for t in topics]
    return query, key


def made(name):
    print(f"{OUT.name}/{name}", math.ceil((OUT / name).stat().st_size / 1024), "KiB")


def looking(folder):
    look = lambda *words: subprocess.run([FOVEA, "look", "-m", MODEL, *words], check=True, stdout=subprocess.DEVNULL)
    look("I am a student .", "--svg", OUT / "look.svg")
    made("look.svg")
    look(LONG, "--png", OUT / "long.png")
    made("long.png")
    chromium = shutil.which("chromium")
    if chromium:
        look(LONG, "--html", folder / "page.html")
        subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/chromium",
                        f"--screenshot={OUT}/page.png", "--window-size=1180,760", (folder / "page.html").as_uri()],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        made("page.png")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        query, key = sentence()
        n = len(WORDS)
        q, k, v = npy(folder / "q.npy", query), npy(folder / "k.npy", key), npy(folder / "v.npy", vectors(n, 1, 5))
        flat_q = npy(folder / "fq.npy", vectors(n, 0.25, 8))
        base = ["--query", q, "--key", k, "--value", v, "--query-words", " ".join(WORDS), "--key-words", " ".join(WORDS)]
        even = ["--query", flat_q, *base[2:]]  # weak scores: the picture shows the mask
        a = 8
        w = lambda name, rows, cols, spread, seed: f"{name}=" + npy(
            folder / f"{name}{seed}.npy", [[random.Random(seed * 1000 + r * cols + c).gauss(0, spread) for c in range(cols)] for r in range(rows)])
        vec = lambda name, count, spread, seed: f"{name}=" + npy(folder / f"{name}{seed}.npy", [random.Random(seed + i).gauss(0, spread) for i in range(count)])
        eye = "Wq=" + npy(folder / "eye.npy", [[float(r == c) for c in range(WIDTH)] for r in range(a)])
        eye_k = "Wk=" + eye.split("=")[1]
        pictures = {
            "scaled_dot": base,
            "dot": [*base, "--score", "dot"],
            "additive": [*base, "--score", "additive", "--param", eye, "--param", eye_k, "--param", vec("v", a, 1.5, 40)],
            "location": [*base, "--score", "location", "--param", w("W", n, WIDTH, 0.7, 4)],
            "causal": [*even, "--causal"],
            "window": [*even, "--causal", "--window", "3"],
            "prefix": [*even, "--prefix", "4"],
            "lengths": [*even, "--lengths", npy(folder / "lengths.npy", [9], "i")],
            "alibi": [*even, "--causal", "--alibi", "--heads", "4"],
            "local_m": [*even, "--local-m", "2"],
            "local_p": [*base, "--local-p", "2", "--param", w("Wp", a, WIDTH, 0.6, 6), "--param", vec("vp", a, 1.0, 50)],
            "hard": [*base, "--hard", "sample", "--seed", "3"],
            "heads": [*base, "--heads", "4", "--causal"],
        }
        for name, arguments in pictures.items():
            subprocess.run([FOVEA, "attend", *arguments, "--svg", OUT / f"{name}.svg"], check=True)
            made(f"{name}.svg")
        subprocess.run([FOVEA, "attend", "--example", "--svg", OUT / "student.svg"], check=True, stdout=subprocess.DEVNULL)
        for name, arguments in {"scenes": [], "digits": [], "cluttered": ["--cluttered", "--train", "10"]}.items():
            corpus = "scenes" if name == "scenes" else "digits"
            subprocess.run([FOVEA, "corpus", corpus, *arguments, "--sheet", OUT / f"{name}.png"], check=True)
            made(f"{name}.png")
        if MODEL:
            looking(folder)


if __name__ == "__main__":
    main()
