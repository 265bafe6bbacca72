"""Growth side by side, out of core, and with a regularization of every node's own."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hlsvm import ObliqueTreeClassifier
from hlsvm.linear._base import read_only
from hlsvm.trees import SVMTreesClassifier
from hlsvm.trees._choose_lam import PARTS, ceiling, choose_on_path, hold_back
from hlsvm.trees._out_of_core import solve
from hlsvm.trees._samples import Samples

from .helpers import checkerboard, ring, samples_of

BITS = ("weights", "offsets", "plane", "feature", "left", "right", "counts")


def same_bits(one, other):
    for tree, twin in zip(one.trees_, other.trees_, strict=True):
        for name in BITS:
            assert_array_equal(getattr(tree, name), getattr(twin, name))
    assert one.certificates_ == other.certificates_


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"split": "best", "refine": 2, "prune_fraction": 0.2},
        {"lam": "path", "max_depth": 3},
        {"max_depth": 0},
    ],
)
@pytest.mark.parametrize("n_jobs", [2, 5])
def test_threads_change_no_bit(options, n_jobs):
    X, y = checkerboard(800, 4, 4)
    model = ObliqueTreeClassifier(**({"lam": 1e-4, "random_state": 3} | options))
    alone = model.fit(X, y)
    same_bits(
        alone, ObliqueTreeClassifier(**model.get_params()).set_params(n_jobs=n_jobs).fit(X, y)
    )


def on_disk(X, folder):
    path = folder / "X.bin"
    np.memmap(path, X.dtype, "w+", shape=X.shape)[:] = X
    return np.memmap(path, X.dtype, "r", shape=X.shape)


@pytest.mark.parametrize("options", [{}, {"split": "best", "refine": 2, "prune_fraction": 0.2}])
def test_what_fits_grows_as_in_memory(options, tmp_path):
    """A budget that holds all rows changes no bit; threads and disk change none either."""
    X, y = checkerboard(600, 4, 3)
    model = ObliqueTreeClassifier(1e-4, min_fraction=0.01, random_state=0, **options).fit(X, y)
    large = ObliqueTreeClassifier(**model.get_params()).set_params(memory_budget=X.nbytes)
    same_bits(model, large.fit(on_disk(X, tmp_path), y))
    small = ObliqueTreeClassifier(**model.get_params()).set_params(memory_budget=X.nbytes // 4)
    small.fit(on_disk(X, tmp_path), y)
    assert small.score(X, y) > model.score(X, y) - 0.03
    same_bits(small, ObliqueTreeClassifier(**small.get_params()).set_params(n_jobs=3).fit(X, y))


def test_blocks_reach_the_same_optimum():
    X, y = ring(500)
    sign = np.where(y > 0, 1.0, -1.0)
    rows, caps = np.arange(500), np.full(500, 0.02)
    whole = samples_of(X, y)
    parts = Samples.of(whole.X, whole.codes, whole.weight, 2, budget=X.nbytes // 7)
    assert not parts.fits(500)
    assert parts.fits(71)
    one = solve(whole, rows, sign, caps, 1.0, 1e-6, 2000, 0, np.zeros(500))
    other = solve(parts, rows, sign, caps, 1.0, 1e-6, 2000, 0, np.zeros(500))
    assert one.converged
    assert other.converged
    assert_allclose(other.objective, one.objective, rtol=1e-5)
    assert other.objective - other.dual_objective <= 1e-6 * other.objective
    assert_allclose(np.append(other.w, other.b), np.append(one.w, one.b), atol=1e-2)
    assert not solve(parts, rows, sign, caps, 1.0, 1e-12, 3, 0, np.zeros(500)).converged


def test_memory_stays_within_the_budget(tmp_path):
    rng = np.random.default_rng(0)
    X = on_disk(rng.normal(size=(20_000, 100)).astype(np.float32), tmp_path)
    y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)
    budget = X.nbytes // 10
    model = ObliqueTreeClassifier(1e-4, max_depth=4, random_state=0, memory_budget=budget)
    model.fit(X[:3000], y[:3000])  # compiles
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * budget + 160 * len(X)
    assert peak < 0.7 * X.nbytes


def test_path_prefers_what_generalises():
    """Of hyperplanes of known quality the best one's regularization is chosen, small on ties."""
    X, y = ring(300)
    samples = samples_of(X, y)
    rows, counts = np.arange(300), np.bincount(y).astype(float)
    top = ceiling(samples, rows, counts, "mean")
    assert_allclose(top, (X**2).sum(axis=1).mean() / 300)
    good = np.array([1.0, 0.0])
    tried = []

    def solver(part, lam, share):
        tried.append(lam / top)
        assert share is None or (share <= 1).all()
        return good, np.ones(len(part))

    assert_allclose(choose_on_path(samples, rows, counts, "mean", 0, solver), PARTS[0] * top)
    assert_allclose(tried, PARTS[:3])
    back = hold_back(samples.codes, 0)
    assert_allclose(back.mean(), 0.2, atol=0.01)
    assert_array_equal(back, hold_back(samples.codes, 0))


@pytest.mark.parametrize("scale", ["mean", "sum"])
def test_path_needs_no_lam(scale):
    X, y = checkerboard(600, 1, 2)
    model = ObliqueTreeClassifier("path", loss_scale=scale, min_fraction=0.02, random_state=0)
    model.fit(read_only(X[:400]), y[:400])
    assert model.score(X[400:], y[400:]) > 0.85
    assert model.lam_ > 0
    scaled = ObliqueTreeClassifier(**model.get_params()).fit(1000 * X[:400], y[:400])
    assert scaled.score(1000 * X[400:], y[400:]) > 0.85


def test_bad_arguments():
    X, y = ring(30)
    for value in (0, -5, 1.5):
        with pytest.raises((ValueError, TypeError), match="memory_budget"):
            ObliqueTreeClassifier(1e-5, memory_budget=value).fit(X, y)
    assert not hasattr(SVMTreesClassifier(), "memory_budget")
