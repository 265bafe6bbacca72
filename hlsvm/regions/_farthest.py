"""The two farthest of a set of points: exact, by pruning and blocked BLAS, or in linear time."""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed

_ROWS = 256  # points whose distances to all others are taken at a time
_COLUMNS = 4096
_ROUND = 8  # blocks of rows between two prunings, whatever the number of workers
_SWEEPS = 10
_WORTH_A_THREAD = 1 << 24  # multiplications


def _squares(points, point):
    step = points - point
    return np.einsum("ij,ij->i", step, step)


def far_pair(points):
    """Find two points far apart, in linear time.

    From the point farthest from the mean go to the point farthest from it, and on, while the
    distance grows: the heuristic of MetricTree's reference [7], with a fixed start and repeated.
    The distance is at least half of the largest.

    Parameters
    ----------
    points : ndarray of shape (n, d)

    Returns
    -------
    u, v : int
    square : float
        Squared distance.
    """
    u = int(np.argmax(_squares(points, points.mean(axis=0))))
    squares = _squares(points, points[u])
    v = int(np.argmax(squares))
    best = float(squares[v])
    for _ in range(_SWEEPS):
        squares = _squares(points, points[v])
        w = int(np.argmax(squares))
        if not squares[w] > best:
            break
        u, v, best = v, w, float(squares[w])
    return u, v, best


def _block_farthest(left, right):
    """Largest entry of ``left @ right.T`` and where, in strips that stay in cache."""
    best, at = -np.inf, (0, 0)
    for start in range(0, len(right), _COLUMNS):
        product = left @ right[start : start + _COLUMNS].T
        place = int(np.argmax(product))
        value = float(product.flat[place])
        if value > best:
            i, j = divmod(place, product.shape[1])
            best, at = value, (i, start + j)
    return best, at


def _candidates(points, u, v, best):
    """Points that may still be an end of a longer pair, and their radii, largest first.

    A pair is no longer than the two distances from any centre together. The centres are the
    mean and the midpoint of the best pair.
    """
    kept = np.arange(len(points))
    for centre in (points.mean(axis=0), 0.5 * (points[u] + points[v])):
        radii = np.sqrt(_squares(points[kept], centre))
        far = radii + radii.max() > best
        kept, radii = kept[far], radii[far]
        if len(kept) == 0:
            break
    order = np.argsort(-radii, kind="stable")
    return kept[order], radii[order]


def farthest_pair(points, n_jobs=None):
    """Find the two points farthest apart (MetricTree Eq. 4).

    The pair of `far_pair` is the distance to beat. Of the others only those pairs are compared
    whose distances from a centre add up to more; they are compared in blocks, the outermost
    points first, and every longer pair found prunes the rest.

    Parameters
    ----------
    points : ndarray of float64, shape (n, d)
    n_jobs : int or None
        Threads. The answer does not depend on it.

    Returns
    -------
    u, v : int
    square : float
        Squared distance, exact to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> u, v, square = farthest_pair(np.array([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]]))
    >>> sorted((u, v)), square
    ([0, 1], 25.0)
    """
    u, v, best = far_pair(points)
    kept, radii = _candidates(points, u, v, np.sqrt(best))
    # (p - q)^2 as one product of extended rows; from a point of the set, so that whole numbers
    # stay exact.
    shifted = points[kept] - points[u]
    sizes = np.einsum("ij,ij->i", shifted, shifted)[:, None]
    ones = np.ones_like(sizes)
    left = np.hstack([-2.0 * shifted, sizes, ones])
    right = np.hstack([shifted, ones, sizes])
    workers = n_jobs if len(kept) ** 2 * points.shape[1] > _WORTH_A_THREAD else 1
    with Parallel(n_jobs=workers, prefer="threads") as parallel:
        start = 0
        while start < len(kept) and 2 * radii[start] > np.sqrt(best):
            blocks = []
            for top in range(start, min(start + _ROUND * _ROWS, len(kept)), _ROWS):
                # Partners: later points still far enough for the outermost of the block.
                stop = np.searchsorted(-radii, radii[top] - np.sqrt(best), side="left")
                if stop > top:
                    blocks.append((top, min(top + _ROWS, len(kept)), int(stop)))
            result = parallel(
                delayed(_block_farthest)(left[a:b], right[a:stop]) for a, b, stop in blocks
            )
            for (top, _, _), (_, (i, j)) in zip(blocks, result, strict=True):
                a, b = kept[top + i], kept[top + j]
                square = float(_squares(points[a : a + 1], points[b])[0])
                if square > best:
                    u, v, best = int(a), int(b), square
            start += _ROUND * _ROWS
    return u, v, best
