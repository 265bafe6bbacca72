"""Data sets that are made, not found: each a function of (n, seed) that gives (X, y).

Rows come in random order, labels are -1 and +1, and the two classes are as large as each other
up to one row, unless the docstring differs. The papers give few of the numbers (radii, widths,
spreads); those chosen are the defaults and are given in the docstrings.
"""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np

from hlsvm._params import check_number

_MOST = 10**9  # rows
_WIDEST = 1e100  # squares of such numbers stay finite


def _rng(owner: str, n: int, seed: int, low: int = 2) -> np.random.Generator:
    check_number(owner, "n", n, kind=Integral, low=low, high=_MOST)
    check_number(owner, "seed", seed, kind=Integral, low=0)
    return np.random.default_rng(seed)


def _noise(owner: str, value: float) -> None:
    check_number(owner, "noise", value, kind=Real, low=0, high=_WIDEST)


def _signs(n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.permutation(np.where(np.arange(n) % 2 == 0, 1, -1))


def _polar(radius: np.ndarray, angle: np.ndarray) -> np.ndarray:
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _annulus(low, high, rng: np.random.Generator, angles=(0.0, 2 * np.pi)) -> np.ndarray:
    """Points spread evenly over the area between two radii and two angles."""
    radius = np.sqrt(rng.uniform(low**2, high**2))
    return _polar(radius, rng.uniform(*angles, len(radius)))


def _bar(start, stop, n: int, spread: float, rng: np.random.Generator) -> np.ndarray:
    """Points along a segment with Gaussian spread round it."""
    place = rng.uniform(size=(n, 1))
    middle = (1 - place) * np.array(start) + place * np.array(stop)
    return middle + rng.normal(scale=spread, size=(n, 2))


def banana(n: int = 5300, seed: int = 0, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Two bent, overlapping classes with the geometry of Raetsch's banana set.

    Class +1 is an arch with a slanting bar over its right shoulder, class -1 a roof over the arch
    and a block in its mouth; 55 % of the rows are of class -1. As in the benchmark a line is
    no better than a guess and a Gaussian kernel reaches about 90 %. `noise` multiplies the
    spreads.

    Examples
    --------
    >>> X, y = banana(200)
    >>> X.shape, int((y == -1).sum())
    ((200, 2), 110)
    """
    rng = _rng("banana", n, seed)
    _noise("banana", noise)
    n_minus = round(0.55 * n)
    n_bar, n_block = round(0.17 * (n - n_minus)), round(0.34 * n_minus)
    n_arch, n_left = n - n_minus - n_bar, (n_minus - n_block) // 2
    arch = _annulus(np.full(n_arch, 0.65), np.full(n_arch, 1.75), rng, (-0.4, np.pi + 0.4))
    arch += np.array([-0.3, -0.95]) + rng.normal(scale=0.1 * noise, size=arch.shape)
    bar = _bar((-0.4, 1.95), (2.7, 1.1), n_bar, 0.15 * noise, rng)
    left = _bar((-2.0, 0.4), (0.3, 1.8), n_left, 0.25 * noise, rng)
    right = _bar((0.1, 1.9), (1.8, -0.5), n_minus - n_block - n_left, 0.25 * noise, rng)
    block = rng.uniform((-1.15, -1.5), (0.6, -0.75), size=(n_block, 2))
    block += rng.normal(scale=0.1 * noise, size=block.shape)
    X = np.concatenate([arch, bar, left, right, block])
    y = np.repeat([1, -1], [n - n_minus, n_minus])
    order = rng.permutation(n)
    return X[order], y[order]


def two_circles(n: int = 1000, seed: int = 0, gap: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Two concentric circular bands, one per class (SRS-SVM 2CC).

    Class +1 fills the radii from 0.5 to 1, class -1 those from ``1 + gap`` to ``1.5 + gap``.
    """
    rng = _rng("two_circles", n, seed)
    check_number("two_circles", "gap", gap, kind=Real, low=0, high=_WIDEST)
    y = _signs(n, rng)
    low = np.where(y == 1, 0.5, 1 + gap)
    return _annulus(low, low + 0.5, rng), y


def three_circles(n: int = 1500, seed: int = 0, gap: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Bullseye of three bands: class +1 the inner and the outer one, -1 between (SRS-SVM 3CC).

    Bands are 0.5 wide and `gap` apart, a third of the rows in each.
    """
    rng = _rng("three_circles", n, seed, low=3)
    check_number("three_circles", "gap", gap, kind=Real, low=0, high=_WIDEST)
    band = rng.permutation(np.arange(n) % 3)
    low = 0.5 + band * (0.5 + gap)
    return _annulus(low, low + 0.5, rng), np.where(band == 1, -1, 1)


def shooting_range(
    n: int = 4500,
    seed: int = 0,
    n_bullseyes: int = 5,
    gap: float = 0.15,
    n_noise_features: int = 0,
    label_noise: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Build a row of bullseyes, three bands each (SRS-SVM SR).

    Parameters
    ----------
    n : int
        Rows.
    seed : int
        Seed.
    n_bullseyes : int
        Bullseyes, side by side, 3 apart; bands are 0.3 wide.
    gap : float
        Room between bands.
    n_noise_features : int in [0, 18]
        Columns of standard normal noise appended (20 columns at most).
    label_noise : float in [0, 0.5)
        Share of the rows whose label is turned over, rounded down.
    """
    rng = _rng("shooting_range", n, seed, low=3)
    owner = "shooting_range"
    check_number(owner, "n_bullseyes", n_bullseyes, kind=Integral, low=1, high=n)
    check_number(owner, "gap", gap, kind=Real, low=0, high=_WIDEST)
    check_number(owner, "n_noise_features", n_noise_features, kind=Integral, low=0, high=18)
    check_number(owner, "label_noise", label_noise, low=0, high=0.5, closed="left")
    cell = rng.permutation(np.arange(n) % (3 * n_bullseyes))
    band, target = cell % 3, cell // 3
    low = 0.3 + band * (0.3 + gap)
    X = _annulus(low, low + 0.3, rng)
    X[:, 0] += 3.0 * target
    y = np.where(band == 1, -1, 1)
    y[rng.permutation(n)[: int(label_noise * n)]] *= -1
    if n_noise_features:
        X = np.hstack([X, rng.normal(size=(n, n_noise_features))])
    return X, y


def xor(n: int = 800, seed: int = 0, noise: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """Four Gaussian clusters at (+-1, +-1), standard deviation `noise`; y is the sign of x1 x2."""
    rng = _rng("xor", n, seed, low=4)
    _noise("xor", noise)
    corner = rng.permutation(np.arange(n) % 4)
    centre = np.column_stack([corner % 2, corner // 2]) * 2.0 - 1.0
    return centre + rng.normal(scale=noise, size=(n, 2)), (centre[:, 0] * centre[:, 1]).astype(int)


def subclasses(
    n: int = 4000, seed: int = 0, n_subclasses: int = 10, noise: float = 0.15
) -> tuple[np.ndarray, np.ndarray]:
    """Two classes of `n_subclasses` round clusters each, on the squares of a chessboard.

    SRS-SVM Fig. A.15 has 10, 20 and 100 of them with 200 rows each (n = 4,000, 8,000, 40,000).
    The board is as nearly square as 2 `n_subclasses` allows; clusters are 1 apart with standard
    deviation `noise`, cut off at 0.45 so that they stay apart.
    """
    rng = _rng("subclasses", n, seed)
    check_number("subclasses", "n_subclasses", n_subclasses, kind=Integral, low=1, high=n)
    _noise("subclasses", noise)
    cells = 2 * n_subclasses
    rows = max(d for d in range(1, int(cells**0.5) + 1) if cells % d == 0)
    # Walk the board so that neighbours along and across have the other colour.
    r, c = np.divmod(np.arange(cells), cells // rows)
    colour = np.where((r + c) % 2 == 0, 1, -1)
    cell = rng.permutation(np.arange(n) % cells)
    radius = np.minimum(np.abs(rng.normal(scale=noise * 2**0.5, size=n)), 0.45)
    offset = _polar(radius, rng.uniform(0, 2 * np.pi, n))
    return np.column_stack([c[cell], r[cell]]) + offset, colour[cell]


def ring(n: int = 200, seed: int = 0, radius: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Disc inside a ring: points spread over the unit disc, +1 where the norm is below `radius`.

    Thesis Fig. 4.1. Half of the rows lie inside.
    """
    rng = _rng("ring", n, seed)
    check_number("ring", "radius", radius, kind=Real, low=0, high=1, closed="neither")
    y = _signs(n, rng)
    return _annulus(np.where(y == 1, 0.0, radius), np.where(y == 1, radius, 1.0), rng), y


def unbalanced_gaussians(
    n: int = 9000, seed: int = 0, distance: float = 2.5
) -> tuple[np.ndarray, np.ndarray]:
    """Eight ninths against one ninth of the rows, not separable by a line (Thesis Fig. 5.4).

    Class +1 (8,000 of 9,000) is one wide Gaussian round the origin, standard deviation 1; class
    -1 (1,000) one of 0.6 at `distance` along the first axis and half of it along the second.
    """
    rng = _rng("unbalanced_gaussians", n, seed, low=9)
    check_number("unbalanced_gaussians", "distance", distance, kind=Real, low=0, high=_WIDEST)
    y = rng.permutation(np.where(np.arange(n) < round(n / 9), -1, 1))
    few = (y == -1)[:, None]
    X = rng.normal(size=(n, 2)) * np.where(few, 0.6, 1.0)
    return X + few * np.array([distance, distance / 2]), y


def square512(n: int = 512, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points spread over [-1, 1]^2 and divided by a wave (MetricTree Fig. 1-2).

    y is the sign of ``x2 - sin(pi x1) / 2``. The source does not say how its points were
    divided.
    """
    rng = _rng("square512", n, seed)
    X = rng.uniform(-1, 1, size=(n, 2))
    return X, np.where(X[:, 1] > 0.5 * np.sin(np.pi * X[:, 0]), 1, -1)


def circle_curve(n: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Give x = sin(2 pi t), y = cos(2 pi t), t uniform on (-1, 1): no correlation, full dependence.

    Thesis Fig. 2.5. Two arrays of shape (n,), not a classification set.
    """
    t = _rng("circle_curve", n, seed).uniform(-1, 1, n)
    return np.sin(2 * np.pi * t), np.cos(2 * np.pi * t)
