"""Pictures: paths and arrays go in, captions, labels and maps come out."""

import json
import subprocess

import numpy as np
import pytest

import fovea
from conftest import COMMAND


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """The test pictures of the built-in corpora."""
    folder = tmp_path_factory.mktemp("pictures")
    for corpus in ("scenes", "digits"):
        command = [COMMAND, "corpus", corpus, "--out", str(folder / corpus), "--train", "1", "--valid", "1", "--test", "3"]
        assert subprocess.run(command, capture_output=True).returncode == 0
    return lambda corpus: sorted((folder / corpus / "test").glob("*.png"))[:3]


def colours(height=40, width=32):
    picture = np.zeros((height, width, 3), np.uint8)
    picture[..., 0] = np.arange(width) * 8 % 256
    picture[..., 1] = (np.arange(height) * 6 % 256)[:, None]
    return picture


def test_captions_of_paths_and_arrays(models, files):
    model, paths = models("captioner"), files("scenes")
    assert model.info().reads_pictures and model.can("caption") and not models("rnn").info().reads_pictures
    all_of_them = model.caption(paths, beam_size=3, n_best=2)
    assert [said.text for said in all_of_them] == [model.caption(path, beam_size=3).text for path in paths]
    assert model.caption(str(paths[0]), beam_size=3).ids == all_of_them[0].ids
    assert len(all_of_them[0].n_best) == 2 and all_of_them[0].n_best[0].score == all_of_them[0].score
    assert "Caption" in repr(all_of_them[0]) and str(all_of_them[0]) == all_of_them[0].text
    picture = colours()
    said = model.caption(picture)
    assert isinstance(said, fovea.Caption) and not said.map
    # Any layout in memory, and a stack of pictures.
    assert model.caption(np.asfortranarray(picture)).log_prob == said.log_prob
    assert [one.log_prob for one in model.caption(np.stack([picture, picture]))] == [said.log_prob] * 2
    assert model.caption(picture[:, ::-1]).log_prob != said.log_prob
    grey = np.full((20, 20), 90, np.uint8)
    assert model.caption(grey).log_prob == model.caption(np.dstack([grey] * 3)).log_prob
    assert model.caption([]) == []


def test_a_map_of_a_caption_has_the_words_and_the_grid(models):
    said = models("captioner").caption(colours(), look=True)
    (attention,) = said.map.attentions
    assert attention.grid == (8, 8) and attention.columns[9] == "1,1"
    assert attention.weights.shape == (1, 1, len(attention.rows), 64)
    np.testing.assert_allclose(attention.weights.sum(-1), 1, rtol=1e-4)
    read = json.loads(said.map.json())
    np.testing.assert_array_equal(np.float32(read["attentions"][0]["weights"]), attention.weights)
    assert read["grid"] == [8, 8]
    assert said.map.svg().startswith("<svg") and said.map.png().startswith(b"\x89PNG")
    assert "data:image/png;base64," in said.map.html() and "iframe" in said.map._repr_html_()
    assert "▀" in said.map.text(60, color="true")
    assert models("rnn").look("I am a student .").attentions[0].grid is None


def test_labels_and_what_a_class_token_looked_at(models, files):
    model, paths = models("vit"), files("digits")
    labels = model.classify(paths)
    assert [one.label for one in labels] == [model.classify(str(path)).label for path in paths]
    assert sum(one.probability for one in labels[0].all) == pytest.approx(1, abs=1e-5)
    assert model.classify(colours()).label in model.info().labels
    token, rollout = model.look(paths[0]).attentions
    assert token.name == "class token" and token.weights.shape == (2, 2, 1, 49)
    assert rollout.name == "rollout" and rollout.weights.shape == (2, 1, 1, 49)
    part = model.look(paths[0]).select(attention="class", layers=[1], heads=[0]).attentions[0]
    np.testing.assert_array_equal(part.weights[0, 0], token.weights[1, 0])


@pytest.mark.parametrize(
    "picture, kind, message",
    [
        (3, TypeError, "expected a path, or an array uint8"),
        (None, TypeError, "met NoneType"),
        ([3], TypeError, "met int"),
        (np.zeros((4, 4, 3)), TypeError, "met an array float64 (4, 4, 3)"),
        (np.zeros(4, np.uint8), TypeError, "met an array uint8 (4,)"),
        (np.zeros((4, 4, 5), np.uint8), fovea.Error, "5 channels"),
        (np.zeros((0, 4, 3), np.uint8), fovea.Error, "[caption] the pixels"),
        ("", ValueError, "a path without a name"),
        ("nowhere.png", fovea.Error, "nowhere.png"),
    ],
)
def test_what_is_no_picture_is_said(models, picture, kind, message):
    with pytest.raises(kind) as error:
        models("captioner").caption(picture)
    assert message in str(error.value)


def test_a_model_of_text_takes_no_pictures(models):
    with pytest.raises(fovea.Error, match="turns one sequence into another"):
        models("rnn").caption(colours())
    with pytest.raises(TypeError):
        models("rnn").look(colours())
    with pytest.raises(fovea.Error, match="cancelled"):
        models("captioner").caption(colours(), cancelled=lambda: True)
