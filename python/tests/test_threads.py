import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import fovea

LINES = ["I am a student .", "the teacher bought a new book .", "she will go to the school ."]


def test_threads_share_a_model_and_get_the_same_results(models):
    translator, writer, reader = models("transformer"), models("gpt"), models("words")

    def work(_):
        return (
            [one.text for one in translator.translate(LINES)],
            "".join(writer.generate("the cat", max_tokens=30, seed=5)),
            reader.embed("the cat sees a bird .").tobytes(),
        )

    alone = work(0)
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(work, range(16)):
            assert result == alone


def test_others_run_while_the_library_works(models):
    """With the GIL held, the counting thread would stand still for the whole call."""
    model = models("transformer")
    lines = LINES * 200
    done = threading.Event()
    counted = []

    def count():
        while not done.is_set():
            counted.append(time.monotonic())
            time.sleep(0.002)

    counter = threading.Thread(target=count)
    counter.start()
    begin = time.monotonic()
    model.translate(lines)
    end = time.monotonic()
    done.set()
    counter.join()
    assert end - begin > 0.05
    assert sum(begin < moment < end for moment in counted) >= 5


def test_cancelled_is_asked_and_ends_a_translation(models):
    asked = []

    def cancelled():
        asked.append(1)
        return len(asked) == 3

    with pytest.raises(fovea.Cancelled) as met:
        models("rnn").translate(LINES, cancelled=cancelled)
    assert isinstance(met.value, fovea.Error) and len(asked) == 3

    def fail():
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        models("rnn").translate(LINES, cancelled=fail)


WORKS = {
    "translate": "model.translate(['I am a student .'] * 10**6)",
    "generate": "list(model.generate('the', max_tokens=10**9, window=True, ignore_eos=True))",
    "generate_text": "model.generate_text('the', max_tokens=10**9, window=True, ignore_eos=True)",
}


@pytest.mark.parametrize("name", WORKS)
def test_an_interrupt_ends_long_work(directories, name):
    model = directories("rnn" if name == "translate" else "gpt")
    program = f"import sys, fovea\nmodel = fovea.load(sys.argv[1])\nprint('begun', flush=True)\n{WORKS[name]}\n"
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(model)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.5)
    sent = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors
    assert time.monotonic() - sent < 5
