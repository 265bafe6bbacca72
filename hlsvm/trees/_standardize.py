"""Rows brought to scale for a fit, and trees of such rows brought back to the features as given."""

from __future__ import annotations

import numpy as np

from hlsvm.linear.kernels import read_only
from hlsvm.trees._samples import Samples
from hlsvm.trees.tree import HyperplaneTree


def standardized(
    samples: Samples, rows, *, each: bool = True
) -> tuple[Samples, np.ndarray, np.ndarray]:
    """Copy of the samples whose features have mean zero and variance one on `rows`.

    Parameters
    ----------
    samples : Samples
    rows : ndarray of int64
    each : bool
        False: the features are divided by one number, so that their mean variance is one.

    Returns
    -------
    samples : Samples
    mean, scale : ndarray of float64, shape (n_features,)
        A constant feature keeps its scale.
    """
    weight = samples.weight[rows]
    mean = np.average(samples.X[rows], axis=0, weights=weight).astype(np.float64)
    square = np.average((samples.X[rows] - mean) ** 2, axis=0, weights=weight)
    spread = np.sqrt(square)
    if not each:
        spread = np.full_like(spread, np.sqrt(square.mean()))
    constant = spread <= 1e-12 * np.maximum(np.abs(mean), 1e-290)
    scale = np.where(constant, 1.0, spread)
    X = ((samples.X - mean) / scale).astype(samples.X.dtype)
    X = read_only(np.ascontiguousarray(X))
    return Samples.of(X, samples.codes, samples.weight, samples.n_classes), mean, scale


def folded(tree: HyperplaneTree, mean: np.ndarray, scale: np.ndarray) -> HyperplaneTree:
    """Tree of rows as given that decides as `tree` does of standardised rows.

    ``w.(x - mean)/scale + b`` is ``(w/scale).x + (b - (w/scale).mean)``; a comparison
    ``(x - mean)/scale + b > 0`` is ``x + (b scale - mean) > 0``.
    """
    weights = tree.weights / scale
    offsets = tree.offsets.astype(np.float64)
    planes = tree.plane >= 0
    offsets[planes] -= (weights @ mean)[tree.plane[planes]]
    held = tree.feature >= 0
    column = tree.feature[held]
    offsets[held] = offsets[held] * scale[column] - mean[column]
    dtype = tree.weights.dtype
    arrays = tree.to_arrays() | {"weights": weights.astype(dtype), "offsets": offsets.astype(dtype)}
    return HyperplaneTree.from_arrays(**arrays)
