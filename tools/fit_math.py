"""Fits the coefficients in fovea/kernels/math-inl.h and prints them with their largest error in f32 arithmetic.
Needs numpy. Lawson's iteration: least squares, reweighted until the error is level."""
import math

import numpy as np


def lawson(columns, target, rounds=3000):
    """x that makes the largest |columns @ x - target| small."""
    w = np.ones(len(target)) / len(target)
    best = (np.inf, None)
    for _ in range(rounds):
        s = np.sqrt(w)[:, None]
        x = np.linalg.lstsq(columns * s, target * s[:, 0], rcond=None)[0]
        e = np.abs(columns @ x - target)
        if e.max() < best[0]:
            best = (e.max(), x)
        w *= e + 1e-30
        w /= w.sum()
    return best


def show(name, values):
    print(f"{name}:", ", ".join(f"{v:.9e}f" for v in np.asarray(values, np.float32)))


# 2^r on [-1/2, 1/2], relative error; the constant term is 1, so that 2^0 is exactly 1.
r = np.cos(np.linspace(0, np.pi, 2001)) / 2
for degree in (5, 6):
    powers = np.stack([r**i for i in range(1, degree + 1)], 1)
    error, c = lawson(powers / (2**r)[:, None], 1 - 1 / 2**r)
    show(f"exp2 degree {degree}, relative error {error:.2e}", c)

# tanh(x) = x p(x^2) / q(x^2) on [0, limit], relative error; q's constant term is 1.
limit = 9.01
x = limit * (1 - np.cos(np.linspace(0, np.pi / 2, 4001)[1:]))
u, f = x * x, np.tanh(x) / x
for top, bottom in ((5, 3), (6, 3), (4, 4), (5, 4)):
    weight = np.ones_like(f)
    for _ in range(20):  # the linearised error is p - f q; divide by f q to make it relative
        p_cols = np.stack([u**i for i in range(top + 1)], 1)
        q_cols = np.stack([u**i for i in range(1, bottom + 1)], 1)
        columns = np.concatenate([p_cols, -f[:, None] * q_cols], 1) / (f * weight)[:, None]
        scale = np.abs(columns).max(0)
        error, c = lawson(columns / scale, 1 / weight, 200)
        c = c / scale
        weight = 1 + q_cols @ c[top + 1:]
    fit = (p_cols @ c[:top + 1]) / weight
    show(f"tanh p, degree {top}/{bottom}, relative error {np.abs(fit / f - 1).max():.2e}", c[:top + 1])
    show("tanh q from x^2", c[top + 1:])

# Phi(-t) = exp(-t^2 / 2) r(u), u = 1 / (1 + 0.35 t), t in [0, 14]: the lower tail of the normal distribution, relative error.
# r(u) has no constant term, like 1/t far out.
def scaled_tail(t):
    """exp(t^2 / 2) Phi(-t), by erfc near 0 and a continued fraction (Laplace) far out."""
    if t < 5:
        return math.exp(t * t / 2) * math.erfc(t / math.sqrt(2)) / 2
    f = 0.0
    for k in range(80, 0, -1):
        f = k / (t + f)
    return 1 / math.sqrt(2 * math.pi) / (t + f)


last = 1 / (1 + 0.35 * 14)
u = (1 + last) / 2 + np.cos(np.linspace(0, np.pi, 2001)) * (1 - last) / 2
f = np.array([scaled_tail((1 / v - 1) / 0.35) for v in u])
powers = np.stack([u**i for i in range(1, 10)], 1)
error, c = lawson(powers / f[:, None], np.ones_like(f))
show(f"normal tail degree 9, relative error {error:.2e}", c)
