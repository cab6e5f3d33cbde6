"""Tiny models, trained by the command (FOVEA_COMMAND) for a few updates: what they say is nonsense, but always the same."""

import os
import subprocess
from pathlib import Path

import pytest

import fovea

COMMAND = os.environ.get("FOVEA_COMMAND", str(Path(__file__).parents[2] / "build" / "fovea"))
WIDTH = 32

# name: flags of fovea train. {text} and {labelled} are files of sentences.
TINY = f"--enc-depth 1 --heads 2 --dim-model {WIDTH} --dim-ffn 64"
BERT = f"--model bert --tokenizer wordpiece --vocab-size 80 {TINY} --mini-batch 20 --lr-warmup 2u --after 5u"
MODELS = {
    "rnn": "--corpus grammar --corpus-size 300 --dim-emb 16 --dim-rnn 16 --after 3u",
    "transformer": f"--corpus grammar --corpus-size 300 --model transformer {TINY} --dec-depth 1 --after 3u",
    "gpt": "--model gpt --tokenizer char --train-sets {text} --n-layer 2 --n-head 2 --n-embd 32 --block-size 64 --lr-warmup 2u --after 5u",
    "words": BERT + " --task words --train-sets {text} --valid-sets {text}",
    "labels": BERT + " --task labels --train-sets {labelled} --valid-sets {labelled}",
    "captioner": "--model captioner --corpus scenes --corpus-size 60 --dim-rnn 16 --dim-emb 8 --conv-channels 4 --conv-depth 1"
    " --mini-batch 10 --valid-metrics cross-entropy --lr-warmup 1u --after 3u",
    "vit": "--model vit --corpus digits --corpus-size 60 --dim-model 16 --dim-ffn 32 --heads 2 --enc-depth 2 --mini-batch 10 --lr-warmup 1u --after 3u",
}


def sentences(labelled):
    who, what = ["the cat", "the dog", "a bird"], ["sees", "hears", "likes"]
    for i in range(120):
        line = f"{who[i % 3]} {what[i // 3 % 3]} {who[i // 9 % 3]} ."
        yield line + ("\teye" if i // 3 % 3 == 0 else "\tother") if labelled else line


@pytest.fixture(scope="session")
def directories(tmp_path_factory):
    """name -> a model's directory, trained at the first use."""
    folder = tmp_path_factory.mktemp("models")
    files = {"text": folder / "text.txt", "labelled": folder / "labelled.tsv"}
    for name, path in files.items():
        path.write_text("\n".join(sentences(name == "labelled")) + "\n")

    def directory(name):
        out = folder / name
        if not out.exists():
            flags = MODELS[name].format(**files).split()
            run = subprocess.run(
                [COMMAND, "train", *flags, "--threads", "1", "--out", str(out)], capture_output=True, text=True
            )
            assert run.returncode == 0, run.stderr
        return out

    return directory


@pytest.fixture(scope="session")
def models(directories):
    """name -> a loaded model."""
    loaded = {}

    def model(name):
        if name not in loaded:
            loaded[name] = fovea.load(directories(name))
        return loaded[name]

    return model
