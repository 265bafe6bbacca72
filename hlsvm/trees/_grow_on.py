"""A tree whose leaves grow on: the top of a refined tree, with grown trees for leaves."""

from __future__ import annotations

import numpy as np

from hlsvm.trees._grow import grow
from hlsvm.trees._refine import leaves_of
from hlsvm.trees._samples import Samples, SplitOptions
from hlsvm.trees._seeds import child_seed
from hlsvm.trees.pruning import count_leaves
from hlsvm.trees.tree import HyperplaneTree


def grow_on(
    samples: Samples,
    options: SplitOptions,
    rows: np.ndarray,
    tree: HyperplaneTree,
    certificates: np.ndarray,
    min_fraction: float,
    seed: int,
) -> tuple[HyperplaneTree, np.ndarray, list]:
    """Grow a tree in every leaf of `tree`, on the rows that reach it.

    Parameters
    ----------
    samples, options
        As of `grow`.
    rows : ndarray of int64
        Rows to grow on, ascending.
    tree : HyperplaneTree
    certificates : ndarray of `CERTIFICATE`
        Of its hyperplanes.
    min_fraction : float
        Share of the weight of `rows` at which a node stays a leaf.
    seed : int

    Returns
    -------
    tree : HyperplaneTree
    certificates : ndarray of `CERTIFICATE`
    proofs : list of Certificate
        Of every SVM trained.
    """
    leaf = leaves_of(tree, samples.X, rows)
    least = min_fraction * float(samples.weight[rows].sum())
    parts, proofs = {}, []
    for node in np.flatnonzero(~tree.is_inner):
        inside = rows[leaf == node]
        if len(inside) == 0:
            continue
        share = min(least / max(float(samples.weight[inside].sum()), 1e-300), 1.0)
        parts[node] = grow(
            samples, options, inside, min_fraction=share, seed=child_seed(seed, int(node))
        )
        proofs += parts[node][2]
    whole, proven = _join(tree, certificates, parts)
    codes, weight = samples.codes[rows], samples.weight[rows]
    counts = count_leaves(whole, whole.apply(samples.X[rows]), codes, weight)
    arrays = whole.to_arrays() | {"counts": counts}
    return HyperplaneTree.from_arrays(**arrays), proven, proofs


def _join(tree, certificates, parts):
    """Put trees in the place of leaves, all nodes in preorder."""
    offset = np.zeros(tree.n_nodes, np.int64)
    for node, part in parts.items():
        offset[node + 1 :] += part[0].n_nodes - 1
    number = np.arange(tree.n_nodes) + offset
    columns = {name: [] for name in ("offsets", "plane", "feature", "left", "right")}
    weights, proven = [], []
    for node in range(tree.n_nodes):
        part = parts[node][0] if node in parts else tree
        inside = slice(None) if node in parts else slice(node, node + 1)
        plane = part.plane[inside].astype(np.int64)
        source = parts[node][1] if node in parts else certificates
        weights.append(part.weights[plane[plane >= 0]])
        proven.append(source[plane[plane >= 0]])
        columns["plane"].append(plane)
        columns["offsets"].append(part.offsets[inside])
        columns["feature"].append(part.feature[inside])
        for side in ("left", "right"):
            child = getattr(part, side)[inside].astype(np.int64)
            moved = child + number[node] if node in parts else number[child]
            columns[side].append(np.where(child >= 0, moved, -1))
    arrays = {name: np.concatenate(column) for name, column in columns.items()}
    arrays["plane"][arrays["plane"] >= 0] = np.arange(np.count_nonzero(arrays["plane"] >= 0))
    counts = np.zeros((len(arrays["plane"]), tree.counts.shape[1]))
    arrays |= {"weights": np.concatenate(weights), "counts": counts}
    return HyperplaneTree.from_arrays(**arrays), np.concatenate(proven)
