"""Generators: shape, balance, geometry, and a seed that decides everything."""

import numpy as np
import pytest

from hlsvm.datasets import load, synthetic
from hlsvm.datasets.registry import registry

NAMES = [n for n, e in registry().items() if e.generator.startswith("synthetic:")]
FUNCTIONS = sorted({registry()[n].generator.partition(":")[2] for n in NAMES})


@pytest.mark.parametrize("name", NAMES)
def test_by_name(name):
    data, again, other = load(name), load(name), load(name, seed=1)
    assert data.X_train.shape[1] == 2
    assert data.classes.tolist() == [-1, 1]
    assert data.digest == again.digest
    assert data.digest != other.digest
    assert load(name, n=120).X_train.shape == (120, 2)
    assert "synthetic" in data.source


@pytest.mark.parametrize("function", FUNCTIONS)
def test_bad_arguments(function):
    make = getattr(synthetic, function)
    with pytest.raises(ValueError, match="'n' parameter"):
        make(1)
    with pytest.raises(ValueError, match="'seed' parameter"):
        make(100, seed=-1)
    with pytest.raises(TypeError, match="'n' parameter"):
        make(10.5)


def test_circles_are_bands():
    X, y = synthetic.two_circles(999, seed=3)
    radius = np.hypot(*X.T)
    assert abs((y == 1).sum() - 499.5) == 0.5
    assert ((radius[y == 1] >= 0.5) & (radius[y == 1] <= 1)).all()
    assert ((radius[y == -1] >= 1.5) & (radius[y == -1] <= 2)).all()
    X, y = synthetic.three_circles(900, seed=3)
    assert (y == -1).sum() == 300
    assert (np.digitize(np.hypot(*X.T), [1.25, 2.25]) == 1)[y == -1].all()


def test_points_fill_the_area_of_a_band_evenly():
    X, y = synthetic.two_circles(20_000, seed=0)
    inner = np.hypot(*X[y == 1].T)
    half = np.sqrt((0.5**2 + 1) / 2)  # this radius halves the area
    assert abs((inner < half).mean() - 0.5) < 0.02


def test_shooting_range_noise():
    X, y = synthetic.shooting_range(900, seed=1, n_bullseyes=3)
    assert X[:, 0].max() > 6
    assert (y == -1).sum() == 300
    wide, turned = synthetic.shooting_range(
        900, seed=1, n_bullseyes=3, n_noise_features=18, label_noise=0.1
    )
    assert wide.shape == (900, 20)
    np.testing.assert_array_equal(wide[:, :2], X)
    assert (turned != y).sum() == 90
    with pytest.raises(ValueError, match="'n_noise_features'"):
        synthetic.shooting_range(90, n_noise_features=19)


def test_xor_and_square():
    X, y = synthetic.xor(4000, seed=0, noise=0.1)
    np.testing.assert_array_equal(np.sign(X[:, 0] * X[:, 1]), y)
    X, y = synthetic.square512()
    assert X.shape == (512, 2)
    assert abs(X).max() <= 1


def test_subclasses_are_apart():
    X, y = synthetic.subclasses(4000, seed=0, n_subclasses=10)
    centre = np.rint(X)
    assert len(np.unique(centre, axis=0)) == 20
    assert (np.hypot(*(X - centre).T) <= 0.45 + 1e-12).all()
    np.testing.assert_array_equal(y, np.where(centre.sum(axis=1) % 2 == 0, 1, -1))
    counts = np.unique(centre, axis=0, return_counts=True)[1]
    assert (counts == 200).all()


def test_ring_and_unbalanced():
    X, y = synthetic.ring(501, seed=4)
    np.testing.assert_array_equal(np.hypot(*X.T) < 0.5, y == 1)
    X, y = synthetic.unbalanced_gaussians()
    assert ((y == 1).sum(), (y == -1).sum()) == (8000, 1000)


def test_circle_curve_has_no_correlation():
    x, y = synthetic.circle_curve(5000, seed=0)
    np.testing.assert_allclose(x**2 + y**2, 1)
    assert abs(np.corrcoef(x, y)[0, 1]) < 3 / np.sqrt(5000)


def test_banana_is_hard_for_a_line_and_fair_for_neighbours():
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier

    X, y = synthetic.banana(4000, seed=0)
    train, test = slice(2000), slice(2000, None)
    line = LogisticRegression().fit(X[train], y[train]).score(X[test], y[test])
    near = KNeighborsClassifier(25).fit(X[train], y[train]).score(X[test], y[test])
    assert 0.4 < line < 0.6  # the benchmark's: 0.544 with a linear, 0.906 with a Gaussian SVM
    assert 0.87 < near < 0.93
