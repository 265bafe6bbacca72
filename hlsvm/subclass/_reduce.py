"""From subclasses to the reduced set: clustering, pairs, and the hierarchy of nodes."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable, Mapping
from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning

from hlsvm._certificate import Certificate
from hlsvm._params import check_number, shown

_FEWEST = 10  # samples in a subclass, on average, under the automatic choice
_STARTS = 20  # rows drawn for a start of k-means, times the number of subclasses
Index = NDArray[np.int64]


def automatic_subclasses(n_samples: int, n_class: int) -> int:
    """Choose h for a class: sqrt(n_samples) / 8, with ten of its samples in each on average."""
    return int(max(1, min(np.ceil(np.sqrt(n_samples) / 8), n_class // _FEWEST)))


def subclasses_asked(n_subclasses, classes: list, counts: NDArray[np.int64]) -> list[int]:
    """Look up h for every class of `counts` samples.

    Raises
    ------
    ValueError, TypeError
        A mapping does not name every class, or a class has fewer samples than subclasses.
    """
    if isinstance(n_subclasses, str):
        return [automatic_subclasses(counts.sum(), count) for count in counts]
    if not isinstance(n_subclasses, Mapping):
        asked = [int(n_subclasses)] * len(counts)
    else:
        if set(n_subclasses) != set(classes):
            raise ValueError(
                f"The 'n_subclasses' parameter of SRSSVC must name every class, {classes}. "
                f"Got {shown(n_subclasses)} instead."
            )
        asked = [n_subclasses[label] for label in classes]
        for h in asked:
            check_number("SRSSVC", "n_subclasses", h, kind=Integral, low=1)
    for label, h, count in zip(classes, asked, counts, strict=True):
        if h > count:
            raise ValueError(
                "The 'n_subclasses' parameter of SRSSVC must be at most the size of a class. "
                f"Got {h} for class {label!r} of {count} samples."
            )
    return asked


def find_subclasses(X: NDArray, n_subclasses: int, clusterer, seed: int) -> Index:
    """Subclass of every row of `X` (one class), labelled 0, 1, ... without gaps.

    Parameters
    ----------
    X : ndarray of float32, shape (n, d)
    n_subclasses : int
        Fewer come back where rows coincide or clusters stay empty.
    clusterer : None, clusterer or callable
        None is k-means (Lloyd, one start, 20 iterations); a scikit-learn clusterer is cloned and
        given ``n_clusters`` (or ``n_components``) and ``random_state`` if it has them; a callable
        gets ``(X, n_subclasses, seed)`` and returns labels.
    seed : int
    """
    if n_subclasses == 1:
        return np.zeros(len(X), dtype=np.int64)
    if clusterer is not None and not hasattr(clusterer, "fit_predict"):
        labels = clusterer(X, n_subclasses, seed)
    else:
        if clusterer is None:
            model = KMeans(n_subclasses, init=_first_centres(X, n_subclasses, seed), max_iter=20)
        else:
            model = clone(clusterer)
            known = inspect.signature(type(model)).parameters
            wanted = {
                "n_clusters": n_subclasses,
                "n_components": n_subclasses,
                "random_state": seed,
            }
            model.set_params(**{k: v for k, v in wanted.items() if k in known})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            labels = model.fit_predict(X)
    labels = np.asarray(labels)
    if labels.shape != (len(X),):
        raise ValueError(
            f"The 'clusterer' parameter of SRSSVC must give one label per row, shape ({len(X)},). "
            f"Got shape {labels.shape} instead."
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(
            "The 'clusterer' parameter of SRSSVC must give labels. Got NaN or infinity among them."
        )
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _first_centres(X, n_subclasses, seed):
    """k-means++ on as few rows as make good starts."""
    rng = np.random.default_rng(seed)
    few = min(len(X), _STARTS * n_subclasses)
    sample = X[np.sort(rng.choice(len(X), few, replace=False))]
    return kmeans_plusplus(sample, n_subclasses, random_state=seed)[0]


def climb(
    leaves: list[Index],
    n_children: int,
    supporting: Callable[[list[Index]], tuple[list[Index], tuple[Certificate, ...]]],
    rng: np.random.Generator,
) -> tuple[Index, list[dict]]:
    """HSRS-SVM from level 2 up to the samples that enter the root (SRS-SVM section 5.2).

    Parameters
    ----------
    leaves : list of ndarray of int64
        Candidates of every pair of subclasses, level 1.
    n_children : int
        mu >= 2: nodes shuffled and joined into one node of the next level. ``len(leaves)`` or more
        is SRS-SVM.
    supporting : callable
        Support vectors of the nodes of one level and the certificates of their SVMs, given their
        samples.
    rng : numpy.random.Generator
        Shuffles.

    Returns
    -------
    samples : ndarray of int64
        What enters the root, ascending.
    levels : list of dict
        For every level below the root: ``nodes``, ``samples`` kept, ``seconds``, ``certificates``.
    """
    nodes, levels = leaves, []
    while len(nodes) > 1:
        order = rng.permutation(len(nodes))
        groups = [order[at : at + n_children] for at in range(0, len(nodes), n_children)]
        nodes = [np.unique(np.concatenate([nodes[k] for k in group])) for group in groups]
        if len(nodes) == 1:
            break
        start = time.perf_counter()
        nodes, proofs = supporting(nodes)
        kept, spent = len(np.unique(np.concatenate(nodes))), time.perf_counter() - start
        levels.append(
            {"nodes": len(nodes), "samples": kept, "seconds": spent, "certificates": proofs}
        )
    return np.unique(nodes[0]), levels
