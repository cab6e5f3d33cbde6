import gc

import numpy as np
import pytest

import fovea


def drawn(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(np.float32)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def formula(q, k, v, causal=False, heads=1, bias=0.0, visible=None):
    """[B, T, n] by NumPy, in float64."""
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    split = lambda x: x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)
    q, k, v = split(q), split(k), split(v)
    T, S = q.shape[2], k.shape[2]
    e = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1]) + bias
    if causal:  # the last query stands beside the last key
        e = np.where(np.arange(S) <= np.arange(T)[:, None] + S - T, e, -np.inf)
    if visible is not None:
        e = np.where(visible, e, -np.inf)
    weights = softmax(e)
    context = (weights @ v).transpose(0, 2, 1, 3)
    return context.reshape(*context.shape[:2], -1), weights


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("T, S", [(1, 1), (3, 5), (17, 33)])
def test_it_is_the_formula(T, S, heads, causal):
    q, k, v = drawn(2, T, 8), drawn(2, S, 8), drawn(2, S, 6)
    y = fovea.attend(q, k, v, causal=causal, heads=heads, weights=True)
    context, weights = formula(q, k, v, causal, heads)
    np.testing.assert_allclose(y.context, context, atol=1e-5)
    np.testing.assert_allclose(y.weights, weights, atol=1e-5)
    one = fovea.attend(q[0], k[0], v[0], causal=causal, heads=heads)
    np.testing.assert_array_equal(one.context, y.context[0])
    assert one.weights is None and one.gradients == {}


def test_bias_visibility_lengths_and_masks():
    q, k, v = drawn(2, 3, 4), drawn(2, 5, 4), drawn(2, 5, 4)
    bias, visible = drawn(3, 5), drawn(3, 5) > -1
    np.testing.assert_allclose(
        fovea.attend(q, k, v, bias=bias, visible=visible).context,
        formula(q, k, v, bias=bias.astype(np.float64), visible=visible)[0], atol=1e-5,
    )
    short = fovea.attend(q, k, v, lengths=[5, 2])
    np.testing.assert_array_equal(short.context[1], fovea.attend(q[1], k[1, :2], v[1, :2]).context)
    np.testing.assert_array_equal(fovea.attend(q, k, v, lengths=np.array([5, 2])).context, short.context)
    window = fovea.attend(q, k, v, mask="window:1", weights=True).weights
    assert (window == 0).any()


SCORES = {
    "scaled_dot": {},
    "general": {"W": (4, 4)},
}


@pytest.mark.parametrize("score", SCORES)
def test_gradients_are_those_of_differences(score):
    arrays = {"query": drawn(3, 4), "key": drawn(5, 4), "value": drawn(5, 4)}
    params = {name: drawn(*shape, seed=7) for name, shape in SCORES[score].items()}
    bias, upstream = drawn(3, 5, seed=9), drawn(3, 4, seed=8)

    def loss(changed):
        everything = {**arrays, **params, "bias": bias, **changed}
        y = fovea.attend(
            everything["query"], everything["key"], everything["value"], score=score,
            params={name: everything[name] for name in params}, bias=everything["bias"],
        )
        return float((y.context.astype(np.float64) * upstream).sum())

    y = fovea.attend(
        arrays["query"], arrays["key"], arrays["value"], score=score, params=params, bias=bias, upstream=upstream
    )
    assert set(y.gradients) == {"query", "key", "value", "bias", *params}
    h = 1e-2
    for name, array in {**arrays, **params, "bias": bias}.items():
        assert y.gradients[name].shape == array.shape
        for i in np.ndindex(array.shape):
            more, less = array.copy(), array.copy()
            more[i] += h
            less[i] -= h
            difference = (loss({name: more}) - loss({name: less})) / (2 * h)
            assert y.gradients[name][i] == pytest.approx(difference, abs=5e-3), (name, i)


def test_arrays_of_every_kind_are_read():
    q, k, v = drawn(3, 4), drawn(5, 4), drawn(5, 4)
    expected = fovea.attend(q, k, v).context
    odd = np.zeros(q.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(q.shape)  # not aligned
    odd[:] = q
    for same in (q.astype(np.float64), np.asfortranarray(q), q[::-1][::-1], q.tolist(), q.astype(">f4"), odd):
        np.testing.assert_array_equal(fovea.attend(same, k, v).context, expected)
    frozen = q.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(fovea.attend(frozen, k, v).context, expected)
    halves = fovea.attend(np.eye(4, dtype=np.float16), np.eye(4, dtype=int), np.eye(4, dtype=bool)).context
    assert halves.dtype == np.float32


def test_what_is_no_array_of_numbers_is_a_type_error():
    q = drawn(3, 4)
    for wrong in ("text", q.astype(complex), [["a"]], object(), {"a": 1}, [[1, 2], [3]]):
        with pytest.raises((TypeError, ValueError)):
            fovea.attend(wrong, q, q)
    with pytest.raises(TypeError, match="bias"):
        fovea.attend(q, q, q, bias="none")
    with pytest.raises(TypeError, match="W"):
        fovea.attend(q, q, q, score="general", params={"W": "none"})


def test_what_does_not_fit_is_the_librarys_error():
    q = drawn(3, 4)
    for arguments, options in [
        ((q, drawn(5, 3), q), {}),
        ((None, q, q), {}),
        ((np.float32(1), q, q), {}),
        ((q, q, q), {"heads": 3}),
        ((q, q, q), {"score": "adittive"}),
        ((q, q, q), {"mask": "window:x"}),
        ((q, q, q), {"upstream": drawn(2, 2)}),
        ((q, q, q), {"lengths": [9]}),
        ((q, q, q), {"bias": drawn(2, 2)}),
        ((q, q, q), {"score": "general"}),
        ((q, q, q), {"hard": "never"}),
    ]:
        with pytest.raises(fovea.Error, match=r"^\["):
            fovea.attend(*arguments, **options)


def test_results_hold_nothing_of_the_arrays_that_were_read():
    """Also where a result could be one of them: one key, one query."""
    for T, S in [(1, 1), (3, 1), (1, 3)]:
        q, k, v, upstream, bias = drawn(T, 4), drawn(S, 4), drawn(S, 4), drawn(T, 4), drawn(T, S)
        y = fovea.attend(q, k, v, upstream=upstream, bias=bias, weights=True)
        results = {"context": y.context, "weights": y.weights, **y.gradients}
        for name, result in results.items():
            for array in (q, k, v, upstream, bias):
                assert not np.shares_memory(result, array), name
        kept = {name: result.copy() for name, result in results.items()}
        q[:] = k[:] = v[:] = upstream[:] = bias[:] = np.nan
        del q, k, v, upstream, bias, y
        gc.collect()
        for name, result in results.items():
            np.testing.assert_array_equal(result, kept[name])
