"""What `KernelFisher` and `KQPFS` accept: arguments, kernel matrices and kernel functions."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from hlsvm._params import (
    check_number,
    check_option,
    check_random_state,
    check_scale,
    check_tolerance,
    shown,
)
from hlsvm.extract._gram import KERNELS, PairwiseKernel, block_rows
from hlsvm.extract._solvers import SOLVERS

_ASYMMETRY = 1e-8  # of the largest entry
_PROBES = 64  # rows on which a kernel function is tried


def check_params(model: Any) -> None:
    """Raise unless every argument of `model` is in its range and fits the others."""
    if not callable(model.kernel):
        check_option(model, "kernel", model.kernel, KERNELS)
    check_scale(model, "gamma", model.gamma, options=("scale", "auto"))
    check_number(model, "degree", model.degree, low=0, closed="neither")
    check_number(model, "coef0", model.coef0)
    check_scale(model, "mu", model.mu)
    check_option(model, "regularizer", model.regularizer, ("identity", "kernel"))
    check_option(model, "multiclass", model.multiclass, ("directions", "ovr"))
    check_option(model, "threshold", model.threshold, ("means", "offset"))
    check_option(model, "solver", model.solver, SOLVERS)
    check_number(model, "rank", model.rank, kind=Integral, low=1)
    check_tolerance(model, "tol", model.tol, high=1)
    check_number(model, "max_iter", model.max_iter, kind=Integral, low=1)
    check_number(model, "cache_size", model.cache_size, low=0, high=1e9)
    for name in ("n_components", "n_reduced"):
        check_number(model, name, getattr(model, name), kind=Integral, low=1, options=(None,))
    check_random_state(model, model.random_state)
    _check_kernel_params(model)
    if model.solver == "rff":
        _check_beside(model, "solver='rff'", "kernel", "rbf")
        _check_beside(model, "solver='rff'", "n_reduced", None)


def _check_kernel_params(model: Any) -> None:
    params = model.kernel_params
    if not (params is None or isinstance(params, dict)):
        raise TypeError(
            f"The 'kernel_params' parameter of {type(model).__name__} must be a dict of keyword "
            f"arguments of the kernel function, or None. Got {shown(params)} instead."
        )
    if params and not callable(model.kernel):
        raise ValueError(
            f"With kernel={model.kernel!r}, the 'kernel_params' parameter of "
            f"{type(model).__name__} must be None: gamma, degree and coef0 are parameters of their "
            "own, and kernel_params is for a kernel that is a function. "
            f"Got {shown(params)} instead."
        )


def _check_beside(model: Any, condition: str, name: str, accepted: Any) -> None:
    value = getattr(model, name)
    if callable(value) or value != accepted:
        raise ValueError(
            f"With {condition}, the {name!r} parameter of {type(model).__name__} must be "
            f"{accepted!r}. Got {shown(value)} instead."
        )


def check_directions(model: Any, n_classes: int) -> None:
    """Raise unless so many classes have the directions and the threshold that are asked for."""
    if model.multiclass == "ovr":
        return
    if n_classes > 2:
        condition = f"multiclass='directions' and {n_classes} classes"
        _check_beside(model, condition, "threshold", "means")
    high = n_classes - 1
    options = (None,)
    check_number(
        model, "n_components", model.n_components, kind=Integral, low=1, high=high, options=options
    )


def check_symmetric(K: np.ndarray, owner: str) -> None:
    """Raise unless a precomputed kernel matrix is square, and symmetric to 1e-8 of its size.

    Raises
    ------
    ValueError
        It is not; the message names the worst pair of entries.
    """
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"With kernel='precomputed', X of {owner}.fit must be a square matrix, one row and one "
            f"column for each training sample. Got shape {K.shape} instead."
        )
    scale = max(np.abs(K).max(), np.finfo(float).tiny)
    step = block_rows(len(K))
    for start in range(0, len(K), step):
        gap = np.abs(K[start : start + step] - K[:, start : start + step].T)
        if gap.max() > _ASYMMETRY * scale:
            i, j = np.unravel_index(gap.argmax(), gap.shape)
            i += start
            raise ValueError(
                f"With kernel='precomputed', X of {owner}.fit must be symmetric. Got "
                f"X[{i}, {j}] = {K[i, j]:.6g} and X[{j}, {i}] = {K[j, i]:.6g} instead."
            )


def check_function(kernel: PairwiseKernel, X: Any, owner: str) -> None:
    """Raise unless a kernel function is symmetric on rows of `X`, up to 64 of them.

    Raises
    ------
    ValueError
        k(x, x') is not k(x', x); the message names the worst pair of rows.
    """
    probes = np.unique(np.linspace(0, X.shape[0] - 1, _PROBES).astype(int))
    try:
        K = kernel.block(X[probes], X[probes])
    except TypeError as error:
        raise TypeError(
            f"The function given as 'kernel' of {owner} must take two blocks of rows. {error}"
        ) from error
    gap = np.abs(K - K.T)
    if gap.max() > _ASYMMETRY * np.abs(K).max():
        i, j = np.unravel_index(gap.argmax(), gap.shape)
        raise ValueError(
            f"The function given as 'kernel' of {owner} must be symmetric. Got "
            f"k(X[{probes[i]}], X[{probes[j]}]) = {K[i, j]:.6g} and "
            f"k(X[{probes[j]}], X[{probes[i]}]) = {K[j, i]:.6g} instead."
        )
