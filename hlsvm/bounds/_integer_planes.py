"""Errors of a deterministic tree below every node, and integers for its hyperplanes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlsvm.bounds.prefix_codes import plane_nats, quantise

__all__ = ["Coded", "code_planes", "majorities", "sides"]

_BLOCK = 1 << 22  # numbers held at a time while many precisions are tried
# Total sizes of the integers that are tried: about four a factor of two.
_PRECISIONS = np.unique(np.round(2.0 ** np.arange(0, 13.01, 0.25)).astype(int))


@dataclass(frozen=True)
class Coded:
    """Integer hyperplanes and what each costs.

    Attributes
    ----------
    planes : ndarray of int64, shape (n_inner, size)
    nats : ndarray, shape (n_inner,)
    """

    planes: np.ndarray
    nats: np.ndarray


def sides(Z, planes) -> np.ndarray:
    """Which rows lie on the right of which hyperplane, bool, shape (n_planes, n_rows)."""
    right = np.empty((len(planes), len(Z)), bool)
    step = max(1, _BLOCK // max(len(Z), 1))
    for low in range(0, len(planes), step):
        part = slice(low, low + step)
        right[part] = planes[part].astype(float) @ Z.T > 0
    return right


def majorities(tree_shape, right, codes, n_classes):
    """Class counts of every node, and its rows, for sides given by `right`."""
    counts = np.zeros((tree_shape.n_nodes, n_classes))
    rows: list = [None] * tree_shape.n_nodes
    rows[0] = np.arange(len(codes))
    for node in range(tree_shape.n_nodes):
        members = rows[node]
        counts[node] = np.bincount(codes[members], minlength=n_classes)
        k = tree_shape.plane[node]
        if k >= 0:
            goes = right[k, members]
            rows[tree_shape.left[node]], rows[tree_shape.right[node]] = (
                members[~goes],
                members[goes],
            )
    return counts, rows


def _wrong_below(tree_shape, right, codes, counts):
    """For every node, which rows would end wrong if they were sent there (bool matrix)."""
    wrong = np.empty((tree_shape.n_nodes, len(codes)), bool)
    label = counts.argmax(axis=1)
    for node in range(tree_shape.n_nodes - 1, -1, -1):
        k = tree_shape.plane[node]
        if k < 0:
            wrong[node] = codes != label[node]
        else:
            low, high = wrong[tree_shape.left[node]], wrong[tree_shape.right[node]]
            wrong[node] = np.where(right[k], high, low)
    return wrong


def code_planes(tree_shape, units, Z, codes, n_classes: int, rate: float) -> Coded:
    """Integers for every hyperplane, at the precision of least ``rate errors + nats``.

    From the root down: rows reach a node through hyperplanes already rounded, and are counted
    wrong by the unrounded subtrees below it.
    """
    right = sides(Z, units)
    counts, _ = majorities(tree_shape, right, codes, n_classes)
    wrong = _wrong_below(tree_shape, right, codes, counts)
    size = units.shape[1]
    planes = np.zeros(units.shape, np.int64)
    nats = np.zeros(len(units))
    rows = {0: np.arange(len(codes))}
    fine = _PRECISIONS[max(_PRECISIONS) // 4 >= _PRECISIONS]
    for node in tree_shape.inner:
        members, k = rows.pop(node), tree_shape.plane[node]
        tried = [quantise(units[k], pulses) for pulses in fine]
        price = np.array([plane_nats(size, int(pulses)) for pulses in fine])
        goes = sides(Z[members], np.array(tried))
        high, low = wrong[tree_shape.right[node], members], wrong[tree_shape.left[node], members]
        errors = np.array([np.count_nonzero(np.where(side, high, low)) for side in goes])
        best = int(np.argmin(rate * errors + price))
        planes[k], nats[k] = tried[best], price[best]
        rows[tree_shape.left[node]], rows[tree_shape.right[node]] = (
            members[~goes[best]],
            members[goes[best]],
        )
    return Coded(planes, nats)
