import subprocess

import numpy as np
import pytest

import fovea
from conftest import COMMAND, WIDTH

EOS = 3  # of every tokenizer that Fovea learns
LINE = "I am a student ."
LINES = [LINE, "the teacher bought a new book .", "she will go to the school tomorrow ."]


def test_says_what_a_model_is(models):
    info = models("gpt").info()
    assert info.model_type == "gpt2"
    assert info.can == ["generate", "score", "look", "tokenize", "logits"]
    assert info.config["n_embd"] == 32
    assert info.parameters > 1000
    assert models("gpt").can("score") and not models("gpt").can("translate")
    assert "generate, score, look" in repr(info)
    assert "gpt2" in repr(models("gpt"))
    assert models("labels").info().labels == ["eye", "other"]


def test_loads_from_a_path_in_a_precision(directories):
    assert fovea.load(directories("rnn")).info().precision == "f32"
    assert fovea.load(str(directories("rnn")), precision="int8").info().precision == "int8"


def test_translates_as_the_command_does(models, directories):
    run = subprocess.run(
        [COMMAND, "translate", "-m", str(directories("transformer")), "--beam-size", "5"],
        input="\n".join(LINES), capture_output=True, text=True, check=True,
    )
    said = models("transformer").translate(LINES)
    assert [one.text for one in said] == run.stdout.splitlines()


@pytest.mark.parametrize("name", ["rnn", "transformer"])
def test_a_line_in_gives_a_translation_and_a_list_gives_a_list(models, name):
    model = models(name)
    said = model.translate(LINE, n_best=3)
    assert isinstance(said, fovea.Translation) and isinstance(said, fovea.Hypothesis)
    assert len(said.n_best) == 3 and said.n_best[0].text == said.text
    assert len(said.tokens) == len(said.ids)
    assert said.source_tokens == LINE.split()
    assert said.log_prob < 0 and said.score >= said.n_best[-1].score
    assert str(said) == said.text and repr(said.text) in repr(said)
    several = model.translate(LINES)
    assert [one.ids for one in several] == [model.translate(line).ids for line in LINES]
    assert [one.ids for one in model.translate(tuple(LINES))] == [one.ids for one in several]
    assert [one.ids for one in model.translate(line for line in LINES)] == [one.ids for one in several]
    assert model.translate([]) == []


def test_options_of_a_translation_reach_the_library(models):
    model = models("rnn")
    drawn = {model.translate(LINE, beam_size=1, sample=True, seed=seed).text for seed in range(8)}
    assert len(drawn) > 1
    assert len(model.translate(LINE, max_length_factor=0).ids) <= 10
    with pytest.raises(fovea.Error, match="more than"):
        model.translate(LINE, max_length=2)
    assert len(model.translate(LINE, max_length=2, crop=True).source_tokens) == 2


def test_a_look_has_the_map_and_the_alignment(models):
    said = models("transformer").translate(LINE, look=True)
    assert said.map and not said.map.empty
    assert all(0 <= source < 5 for source, _ in said.alignment)
    assert not models("transformer").translate(LINE).map


def test_scores_given_texts(models):
    model = models("transformer")
    said = model.translate(LINE)
    score = model.score(LINE, said.text)
    assert score.log_prob == pytest.approx(sum(score.token_log_probs), abs=1e-4)
    assert score.tokens[-1] == "<eos>" and len(score.tokens) == len(score.token_log_probs)
    text = models("gpt").score("the cat sees")
    assert text.log_prob < 0 and len(text.tokens) == 11


def test_embeds_into_arrays_that_share_the_librarys_memory(models):
    vector = models("words").embed("the cat sees a bird .")
    assert vector.dtype == np.float32 and vector.shape == (WIDTH,)
    assert not vector.flags.writeable and not vector.flags.owndata and vector.base is not None
    with pytest.raises(ValueError):
        vector[0] = 1
    both = models("words").embed(["the cat sees a bird .", "the dog ."], batch=1)
    assert both.shape == (2, WIDTH)
    np.testing.assert_array_equal(both[0], vector)
    assert models("words").embed([]).shape == (0, WIDTH)


def test_arrays_outlive_their_model(directories):
    model = fovea.load(directories("words"))
    vector = model.embed("the cat .")
    before = vector.copy()
    del model
    np.testing.assert_array_equal(vector, before)


def test_classifies_lines_and_pairs(models):
    model = models("labels")
    line = "the cat sees a bird ."
    one = model.classify(line)
    assert one.label in ("eye", "other")
    assert [each.label for each in one.all] == ["eye", "other"]
    assert sum(each.probability for each in one.all) == pytest.approx(1, abs=1e-5)
    assert one.words == [] and repr(one.label) in repr(one)
    both = model.classify([line, "the dog ."])
    assert len(both) == 2 and both[0].probability == one.probability
    pairs = model.classify([("the cat .", "the dog ."), ["a bird .", "a bird ."]])
    assert len(pairs) == 2
    assert model.classify([]) == []
    with pytest.raises(TypeError, match="pairs"):
        model.classify([("a", "b"), "c"])
    with pytest.raises(TypeError):
        model.classify(["a", ("b", "c")])


def test_fills_gaps(models):
    gaps = models("words").fill("the [MASK] sees a bird .", count=3)
    assert len(gaps) == 1 and len(gaps[0].guesses) == 3
    best = gaps[0].guesses[0]
    assert best.probability >= gaps[0].guesses[1].probability
    assert best.token in best.text and isinstance(best.id, int)
    assert gaps[0].position > 0 and "Guess" in repr(gaps)


def test_tokenizes_both_ways(models):
    model = models("gpt")
    tokens = model.tokenize("the cat")
    assert model.detokenize(tokens.ids) == "the cat"
    assert model.detokenize(np.array(tokens.ids)) == "the cat"
    assert tokens.unknown == 0 and len(tokens.tokens) == 7
    assert models("rnn").tokenize("나는 학생 이다 .", side="target").unknown < 4
    with pytest.raises(ValueError, match="side"):
        model.tokenize("a", side="left")


def test_logits_are_those_that_scores_come_from(models):
    model = models("gpt")
    ids = model.tokenize("the cat sees").ids
    logits = model.logits(ids)
    assert logits.shape == (len(ids), model.info().vocabulary) and not logits.flags.writeable
    probable = logits.astype(np.float64)
    probable -= np.log(np.exp(probable).sum(axis=1, keepdims=True))
    expected = [probable[i, token] for i, token in enumerate(ids[1:])]
    np.testing.assert_allclose(model.score("the cat sees").token_log_probs, expected, atol=1e-4)
    translator = models("transformer")
    source = translator.tokenize(LINE).ids + [EOS]
    assert translator.logits([0, 1], source).shape == (2, translator.info().vocabulary)


def test_wrong_types_are_type_errors(models):
    model = models("rnn")
    for wrong in (1, None, b"bytes", [1], [b"x"], ["a", None]):
        with pytest.raises(TypeError):
            model.translate(wrong)
    with pytest.raises(TypeError):
        model.translate(LINE, beamsize=3)
    with pytest.raises(TypeError):
        model.translate(LINE, beam_size="3")
    with pytest.raises(TypeError):
        model.translate(LINE, 5)
    with pytest.raises(TypeError):
        fovea.load(3)
    with pytest.raises(TypeError):
        model.translate(LINE, cancelled=3)
    with pytest.raises(TypeError):
        models("gpt").detokenize(["a"])


def test_errors_are_the_librarys_one_line(models, tmp_path):
    with pytest.raises(fovea.Error, match=r"^\[.*\] ") as met:
        fovea.load(tmp_path / "nothing")
    assert isinstance(met.value, RuntimeError) and "\n" not in str(met.value)
    assert type(met.value).__module__ == "fovea"
    for call in (
        lambda: models("gpt").translate("a"),
        lambda: models("rnn").embed("a"),
        lambda: models("rnn").generate_text("a"),
        lambda: models("rnn").score("a"),
        lambda: models("gpt").logits([10**6]),
        lambda: models("gpt").detokenize([10**6]),
        lambda: models("gpt").detokenize([-1]),
        lambda: models("rnn").translate("a", beam_size=0),
        lambda: fovea.set_threads(-1),
    ):
        with pytest.raises(fovea.Error):
            call()


def test_texts_that_are_no_unicode_are_refused(models):
    with pytest.raises(ValueError):
        models("gpt").tokenize("\ud800")
