"""Thesis appendix C: the norm is attained, the printed form is false, Theorem C.2 holds."""

import math
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hlsvm.bounds import norm_bound, pegasos_bound, pegasos_iterations
from hlsvm.chapters.bounds import descent
from hlsvm.linear import WeightedLinearSVC


def _norm(X, y, lam, loss_scale):
    model = WeightedLinearSVC(
        lam, bias_feature=0.0, loss_scale=loss_scale, tol=1e-9, max_iter=100_000, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return float(np.linalg.norm(model.fit(X, y).coef_))


@pytest.mark.parametrize("scale", ["mean", "sum"])
def test_norm_is_attained(scale):
    n, lam = 100, 1e-4
    averaged = n if scale == "mean" else 1
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    X = (y * math.sqrt(averaged * lam))[:, None]
    assert _norm(X, y, lam, scale) == pytest.approx(
        norm_bound(lam, n, loss_scale=scale).value, rel=1e-5
    )


def test_printed_lemma_is_false():
    """Erratum E10, with its numbers: w* = 10, the print allows |w|^2 <= 10."""
    y = np.where(np.arange(100) % 2 == 0, 1, -1)
    norm = _norm((y * math.sqrt(100 * 1e-4))[:, None], y, 1e-4, "mean")
    assert norm == pytest.approx(10.0, rel=1e-5)
    printed = norm_bound(1e-4, 100, faithful=True).value
    assert printed**2 == pytest.approx(10.0)
    assert norm > 3 * printed


@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize("lam", [1e-3, 1e-1])
def test_norm_holds_on_clouds(n, lam):
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    X = np.random.default_rng(0).normal(size=(n, 5))
    X[:, 0] += 0.5 * y
    assert 0 < np.linalg.norm(descent.optimum(X, y, lam)) < norm_bound(lam, n).value


def test_theorem_by_hand_and_in_order():
    c = (math.sqrt(0.01 / 50) + 2.0) ** 2
    bound = pegasos_bound(0.01, 50, 2.0, 1000)
    assert bound.value == pytest.approx(c * math.log(1000) / 10)
    assert pegasos_bound(0.01, 50, 2.0, 1000, standard=True).value == pytest.approx(
        (0.1 + 2.0) ** 2 * math.log(1000) / 10
    )
    values = [pegasos_bound(0.01, 50, 2.0, T).value for T in (3, 10, 100, 1000)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("accuracy", [10.0, 0.1, 1e-3])
def test_iterations_are_the_first_that_suffice(accuracy):
    T = pegasos_iterations(1e-2, 100, 1.0, accuracy)
    assert pegasos_bound(1e-2, 100, 1.0, T).value <= accuracy or T == 3
    if T > 3:
        assert pegasos_bound(1e-2, 100, 1.0, T - 1).value > accuracy


def test_convergence_stays_below_the_bound():
    y = np.where(np.arange(100) < 20, 1, -1)
    X = np.random.default_rng(0).normal(size=(100, 4))
    X[:, 0] += y
    X /= np.linalg.norm(X, axis=1).max()
    table = descent.convergence(X, y, 1e-2, n_iter=200, batch_size=5, seeds=2, points=8)
    assert (table.mean_gap > 0).all()
    assert (table.worst_gap <= table.tighter).all()
    assert (table.tighter < table.bound).all()
    assert table.mean_gap.iloc[-1] < table.mean_gap.iloc[0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: norm_bound(0.0, 5), "'lam'"),
        (lambda: norm_bound(1.0, 0), "'n'"),
        (lambda: norm_bound(1.0, 5, loss_scale="both"), "'loss_scale'"),
        (lambda: norm_bound(1.0, 5, faithful="no"), "'faithful'"),
        (lambda: pegasos_bound(1.0, 5, 1.0, 2), "'n_iter'"),
        (lambda: pegasos_bound(1.0, 5, 0.0, 5), "'radius'"),
        (lambda: pegasos_iterations(1.0, 5, 1.0, 0.0), "'accuracy'"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
