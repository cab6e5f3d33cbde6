import html
import json
import re

import numpy as np
import pytest

import fovea

LINE = "I am a student ."


def test_weights_are_read_only_distributions(models):
    said = models("rnn").translate(LINE, look=True)
    (one,) = said.map.attentions
    assert one.columns == LINE.split() + ["<eos>"]
    assert one.weights.shape == (1, 1, len(one.rows), len(one.columns))
    assert one.weights.dtype == np.float32 and not one.weights.flags.writeable
    np.testing.assert_allclose(one.weights.sum(axis=-1), 1, atol=1e-5)
    kept = one.weights
    del said, one
    np.testing.assert_allclose(kept.sum(axis=-1), 1, atol=1e-5)


def test_every_form(models):
    map = models("rnn").look(LINE)
    assert str(map) == map.text() == map.text(columns=80)
    assert "student" in map.text() and "\x1b" not in map.text()
    assert "\x1b" in map.text(color="true")
    assert map.svg().startswith("<svg")
    assert map.png()[:4] == b"\x89PNG" and len(map.png(scale=1)) < len(map.png(scale=3))
    assert map.html().lower().startswith("<!doctype html>")
    assert "weights" in json.dumps(json.loads(map.json()))
    assert "<fovea.Map: " in repr(map) and "x1x" in repr(map)
    with pytest.raises(ValueError, match="color"):
        map.text(color="pink")


def test_a_part_is_selected(models):
    map = models("transformer").look(LINE)
    assert [one.name for one in map.attentions] == ["cross", "encoder self", "decoder self"]
    part = map.select(attention="encoder", heads=[1])
    (one,) = part.attentions
    assert one.heads == [1] and one.rows == one.columns
    whole = next(each for each in map.attentions if each.name == "encoder self")
    np.testing.assert_array_equal(one.weights[0, 0], whole.weights[0, 1])
    assert map.select(attention="encoder", token="student").text() != map.select(attention="encoder").text()
    with pytest.raises(fovea.Error):
        map.select(layers=[7])
    with pytest.raises(TypeError):
        map.select([0])


def test_a_given_target_is_looked_at(models):
    model = models("rnn")
    (one,) = model.look(LINE, "나는 학생 이다 .").attentions
    assert len(one.rows) == 5
    (words,) = models("gpt").look("the cat sees", words=True).select(layers=[0], heads=[0]).attentions
    assert words.columns == ["the", "cat", "sees"]
    with pytest.raises(fovea.Error, match="target"):
        models("gpt").look("the cat", "the dog")


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(models):
    map = models("rnn").look(LINE)
    frame = map._repr_html_()
    sandbox, page = re.fullmatch(r'<iframe sandbox="([^"]*)" style="[^"]*" srcdoc="([^"]*)"></iframe>', frame).groups()
    assert "allow-same-origin" not in sandbox
    assert html.unescape(page) == map.html()
    assert map._repr_svg_() == map.svg()
    # A whole model would be megabytes of picture.
    many = fovea.map_of(np.full((20, 2, 2), 0.5), ["a", "b"], ["x", "y"])
    assert many._repr_html_() and many._repr_svg_() is None


def test_an_empty_map_is_false_and_shows_nothing(models):
    map = models("rnn").translate(LINE).map
    assert map.empty and not map and map.attentions == [] and str(map) == ""
    assert map._repr_html_() is None and map._repr_svg_() is None
    assert repr(map) == "<fovea.Map: empty>"
    with pytest.raises(fovea.Error):
        map.svg()


def test_weights_of_ones_own_become_a_map():
    weights = np.array([[0.5, 0.5, 0], [0.25, 0.25, 0.5]])
    map = fovea.map_of(weights, ["a", "b"], ["x", "y", "z"], title="mine")
    assert "0.25" in str(map) and "mine" in map.svg()
    weights[:] = 0
    np.testing.assert_array_equal(map.attentions[0].weights[0, 0, 0], [0.5, 0.5, 0])
    with pytest.raises(fovea.Error):
        fovea.map_of(weights, ["a"], ["x", "y", "z"])


def test_tokens_that_look_like_markup_stay_texts():
    map = fovea.map_of([[1.0]], ['"><script>alert(1)</script>'], ["</iframe>"])
    frame = map._repr_html_()
    assert frame.count("<") == 2 and frame.count('"') == 6
