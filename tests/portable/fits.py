"""Fit every public estimator on small data and save the numbers: run under one profile each.

The data are digits, wine and uniform draws: nothing that a processor could round its own way.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits, load_wine

from hlsvm import bounds, extract, linear, regions, select, subclass, trees, tuning

# Seconds, and what only says where and how something was computed.
_MACHINE = ("time", "seconds", "memory")


def plane(n=500):
    """Two classes of the square by the sign of a noisy product: no SVM separates them."""
    draws = np.random.default_rng(0).random((n, 3))
    X = 2.0 * draws[:, :2] - 1.0
    return X, np.where(X[:, 0] * X[:, 1] + 0.4 * (draws[:, 2] - 0.5) > 0, 1, 0)


def digits(n=400):
    X, y = load_digits(return_X_y=True)
    return np.ascontiguousarray(X[:n] / 16.0), y[:n]


def parity(n=400):
    X, y = digits(n)
    return X, y % 2


def planes(n=400):
    X, y = parity(n)
    return (X > 0.5).astype(float), y


def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)), y


def settings() -> dict[str, tuple[Any, Any]]:
    """Name -> (estimator, data)."""
    seed = {"random_state": 0}
    return {
        "linear": (linear.WeightedLinearSVC(1e-3, tol=1e-4, **seed), parity),
        "linear, free bias": (linear.WeightedLinearSVC(1e-3, bias_feature=None, **seed), parity),
        "linear, plane": (linear.WeightedLinearSVC(1e-6, **seed), plane),
        "Pegasos": (linear.WeightedPegasos(1e-3, max_iter=500, **seed), parity),
        "HLSVM": (trees.HLSVMClassifier(1e-3, **seed), digits),
        "HLSVM, plane": (trees.HLSVMClassifier(1e-7, **seed), plane),
        "HLSVM, Pegasos": (trees.HLSVMClassifier(1e-3, solver="pegasos", **seed), parity),
        "oblique": (trees.ObliqueTreeClassifier(1e-4, split="best", refine=4, **seed), digits),
        "oblique, shrunk": (
            trees.ObliqueTreeClassifier(1e-3, shrinkage=0.3, multiclass="ovo", **seed),
            wine,
        ),
        "forest": (trees.ObliqueForestClassifier(3, lam=1e-4, split="best", **seed), plane),
        "SVMTrees": (trees.SVMTreesClassifier(**seed), digits),
        "annealed": (trees.AnnealedTreeClassifier(4, max_iter=20, **seed), digits),
        "KernelSVC": (subclass.KernelSVC(10.0, **seed), digits),
        "kernel search": (tuning.KernelSVCSearch([1.0, 10.0], [0.01], 3), digits),
        "kernel search, bits": (tuning.KernelSVCSearch(), planes),
        "SRSSVC": (subclass.SRSSVC(3, C=10.0, **seed), digits),
        "DCSVC": (subclass.DCSVC(2, n_sample=100, C=10.0, **seed), plane),
        "Fastfood": (subclass.Fastfood(64, gamma=0.1, **seed), digits),
        "DTSVM": (regions.DTSVMClassifier(10.0, 1.0, ceiling_size=150, **seed), plane),
        "DTSVM, grid": (regions.DTSVMClassifier(ceiling_size=150, **seed), wine),
        "decomposition": (
            regions.RandomDecompositionSVC(10.0, 1.0, ceiling_size=150, **seed),
            plane,
        ),
        "LASVM": (regions.LASVMClassifier(10.0, 2.0, **seed), plane),
        "LASVM, digits": (regions.LASVMClassifier(10.0, 0.05, **seed), parity),
        "metric tree": (regions.MetricTreeSVC(subclass.KernelSVC(10.0, gamma=1.0, **seed)), plane),
        "preimages": (
            regions.PreimageSVC(subclass.KernelSVC(10.0, gamma=1.0, **seed), n_vectors=20),
            plane,
        ),
        "QPFS": (select.QPFS(8), wine),
        "QPFS, Pearson": (select.QPFS(20, similarity="pearson"), digits),
        "QPFS, Nystrom": (select.QPFS(20, similarity="pearson", nystrom=0.5, **seed), digits),
        "MaxRel": (select.MaxRel(20), digits),
        "mRMR": (select.MRMR(20), digits),
        "mRMR, Pearson": (select.MRMR(20, similarity="pearson", scheme="MIQ"), digits),
        "JMI": (select.JMI(20), digits),
        "CMIM": (select.CMIM(20, n_ranked=30), digits),
        "CFS": (select.CFS(), digits),
        "ReliefF": (select.ReliefF(20), digits),
        "RFE": (select.RFESVM(20, **seed), digits),
        "streamwise": (select.StreamwiseSelector(), parity),
        "stability": (select.StabilitySelector(select.MRMR(), n_pairs=5, **seed), parity),
        "random": (select.RandomSelector(20, **seed), digits),
        "KQPFS": (extract.KQPFS(gamma=0.05), digits),
        "KernelFisher": (extract.KernelFisher(gamma=0.05), digits),
    }


def numbers(value: Any, name: str, seen: set[int]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield every number inside `value`, named by the way to it."""
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        yield name, np.asarray(value)
    elif isinstance(value, np.ndarray):
        if value.dtype.kind in "biufc":
            yield name, value
    elif id(value) not in seen:
        seen.add(id(value))
        if isinstance(value, dict):
            inside = value.items()
        elif isinstance(value, (list, tuple)):
            inside = enumerate(value)
        else:
            names = [*getattr(value, "__dict__", ()), *getattr(type(value), "__slots__", ())]
            inside = [(k, getattr(value, k, None)) for k in names]
            if not type(value).__module__.startswith("hlsvm"):
                return
        for key, part in inside:
            if not any(word in str(key) for word in _MACHINE):
                yield from numbers(part, f"{name}.{key}", seen)


def answers(model: BaseEstimator, X: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Yield what a fitted estimator says of `X`."""
    for method in ("predict", "decision_function", "predict_proba", "get_support", "transform"):
        if hasattr(model, method):
            yield (
                method,
                np.asarray(getattr(model, method)(*([] if method == "get_support" else [X]))),
            )


def fitted(names=None) -> dict[str, np.ndarray]:
    """Fit the settings called `names` (all); return their numbers, "setting/where" -> array."""
    out = {}
    for name, (model, data) in settings().items():
        if names and name not in names:
            continue
        X, y = data()
        model = model.fit(X, y)
        for attribute, value in vars(model).items():
            if attribute.endswith("_") and not any(word in attribute for word in _MACHINE):
                out |= {f"{name}/{at}": result for at, result in numbers(value, attribute, set())}
        out |= {f"{name}/{at}()": result for at, result in answers(model, X)}
        if name == "HLSVM, plane":
            bound = bounds.prune_by_bound(model, X, y)
            out |= {f"bound/{at}": result for at, result in numbers(bound, "bound", set())}
    return out


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.savez(sys.argv[1], **fitted(sys.argv[2:]))
