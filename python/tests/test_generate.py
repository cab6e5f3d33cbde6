import gc
import subprocess
import sys
import threading
import time

import pytest

import fovea


def test_pieces_are_the_text_of_the_result(models):
    stream = models("gpt").generate("the cat", max_tokens=20, seed=3)
    assert stream.result is None
    pieces = list(stream)
    assert len(pieces) > 1
    result = stream.result
    assert isinstance(result, fovea.Generation)
    assert "".join(pieces) == result.text
    assert len(result.prompt_tokens) == 7 and len(result.ids) == 20
    assert list(stream) == []
    with pytest.raises(StopIteration):
        next(stream)


def test_the_whole_at_once_is_the_same(models):
    model = models("gpt")
    pieces = "".join(model.generate("the cat", max_tokens=20, seed=3))
    assert model.generate_text("the cat", max_tokens=20, seed=3).text == pieces
    stream = model.generate("the cat", max_tokens=20, seed=3)
    next(stream)
    assert stream.text() == pieces and stream.text() == pieces
    assert model.generate_text("the cat", max_tokens=20, seed=4).text != pieces


def test_a_beam_gives_its_best_and_the_others(models):
    found = models("gpt").generate_text("the cat", max_tokens=8, beam_size=3, n_best=3)
    assert len(found.n_best) == 3 and found.n_best[0].text == found.text
    assert "".join(models("gpt").generate("the cat", max_tokens=8, beam_size=3)) == found.text


def test_a_look_has_a_row_for_each_new_token(models):
    result = models("gpt").generate_text("the cat", max_tokens=5, look=True)
    assert all(len(one.rows) == 5 for one in result.map.attentions)


def test_the_prompts_progress_is_told_to_the_thread_that_iterates(models):
    seen = []
    stream = models("gpt").generate(
        "the cat sees", max_tokens=3, on_prompt=lambda tokens, of: seen.append((tokens, of, threading.get_ident()))
    )
    assert list(stream)
    assert seen[-1] == (12, 12, threading.get_ident())

    def fail(tokens, of):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        next(models("gpt").generate("the cat", on_prompt=fail))


def endless(model):
    return model.generate("the cat", max_tokens=10**9, window=True, ignore_eos=True)


def threads_of_process():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))


def test_closing_ends_the_work(models):
    fovea.set_threads(1)
    before = threads_of_process()
    stream = endless(models("gpt"))
    next(stream)
    assert threads_of_process() == before + 1
    begun = time.monotonic()
    stream.close()
    stream.close()
    assert time.monotonic() - begun < 2
    assert threads_of_process() == before
    assert list(stream) == []
    assert stream.result.text.startswith(" ") or stream.result.text
    with endless(models("gpt")) as another:
        next(another)
    assert threads_of_process() == before
    fovea.set_threads(0)


def test_abandoning_ends_the_work(models):
    fovea.set_threads(1)
    before = threads_of_process()
    for _ in range(20):
        for _ in endless(models("gpt")):
            break
    gc.collect()
    assert threads_of_process() == before
    fovea.set_threads(0)


def test_who_does_not_ask_does_not_make_it_work_on(models):
    stream = endless(models("gpt"))
    next(stream)
    time.sleep(0.3)
    stream.close()
    assert len(stream.result.ids) < 100


def test_a_stream_that_was_never_begun_costs_nothing(models):
    before = threads_of_process()
    stream = endless(models("gpt"))
    assert threads_of_process() == before
    stream.close()
    assert list(stream) == [] and stream.result is None and stream.text() == ""


def test_errors_come_with_the_first_piece_and_once(models):
    stream = models("rnn").generate("a")
    with pytest.raises(fovea.Error):
        next(stream)
    assert list(stream) == [] and stream.result is None
    with pytest.raises(fovea.Error, match="cache"):
        models("gpt").generate_text("a", cache="f8")


def test_close_from_another_thread_ends_the_wait(models):
    stream = endless(models("gpt"))
    next(stream)
    timer = threading.Timer(0.2, stream.close)
    timer.start()
    for _ in stream:
        pass
    timer.join()
    assert stream.result is not None


# Work that is under way when the interpreter ends: texts in a global, in a cycle and in a daemon thread, and a long translation in another.
AT_EXIT = """
import sys, threading, fovea
model = fovea.load(sys.argv[1])
def endless():
    return model.generate("the cat", max_tokens=10**9, window=True, ignore_eos=True)
kept = endless(); next(kept)
class Cycle: pass
cycle = Cycle(); cycle.me = cycle; cycle.stream = endless(); next(cycle.stream)
began = threading.Event()
def read():
    for _ in endless(): began.set()
threading.Thread(target=read, daemon=True).start()
began.wait()
translator = fovea.load(sys.argv[2])
def translate():
    try: translator.translate(["I am a student ."] * 10**5)
    except fovea.Cancelled: pass
threading.Thread(target=translate, daemon=True).start()
print("bye")
"""


def test_the_interpreter_ends_while_texts_are_written(directories):
    for _ in range(3):
        run = subprocess.run(
            [sys.executable, "-c", AT_EXIT, str(directories("gpt")), str(directories("rnn"))],
            capture_output=True, text=True, timeout=60,
        )
        assert (run.returncode, run.stdout, run.stderr) == (0, "bye\n", "")
