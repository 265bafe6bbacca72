"""Deformed digits, as many as wanted: the stand-in for MNIST8m where its 12 GB are missing."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from hlsvm._params import check_n_jobs, check_number, check_option
from hlsvm.datasets._dataset import Dataset, DataUnavailable

_BLOCK = 4096  # rows a worker writes at a time; the answer does not depend on it


def _upscaled() -> tuple[np.ndarray, np.ndarray]:
    """scikit-learn's 8x8 digits, enlarged linearly to 20x20 in a frame of 28x28, 0 to 255."""
    from sklearn.datasets import load_digits

    small, labels = load_digits(return_X_y=True)
    place = np.linspace(0, 7, 20)
    weights = np.maximum(0, 1 - np.abs(place[:, None] - np.arange(8)))
    large = np.einsum("pr,nrc,qc->npq", weights, small.reshape(-1, 8, 8), weights, optimize=True)
    framed = np.zeros((len(small), 28, 28), dtype=np.uint8)
    framed[:, 4:24, 4:24] = np.floor(large * (255 / 16) + 0.5)
    return framed.reshape(-1, 784), labels.astype(np.int64)


def _mnist(part: str, download: bool) -> tuple[np.ndarray, np.ndarray]:
    from hlsvm.datasets._find import obtain
    from hlsvm.datasets.registry import find

    raw, _, _ = obtain(find("mnist"), download=download)
    X, y = (raw.X_train, raw.y_train) if part == "train" else (raw.X_test, raw.y_test)
    return np.ascontiguousarray(X, dtype=np.uint8), y.astype(np.int64)


def _base(source: str, part: str) -> tuple[np.ndarray, np.ndarray, str, str]:
    """Images to deform, their labels, source and note."""
    if source != "digits":
        try:
            X, y = _mnist(part, download=source == "mnist")
        except DataUnavailable:
            if source == "mnist":
                raise
        else:
            return X, y, f"MNIST's {part} digits", "deformed MNIST digits, not MNIST8m's own"
    X, y = _upscaled()
    cut = len(X) * 6 // 7
    chosen = slice(cut) if part == "train" else slice(cut, None)
    what = "deformed digits of scikit-learn (8x8, enlarged to 28x28), not MNIST8m's own"
    return X[chosen], y[chosen], f"scikit-learn's digits, {part} part", what


def _target(out: Any, n: int, dtype: str) -> np.ndarray:
    if out is None:
        return np.empty((n, 784), dtype=dtype)
    if not isinstance(out, np.ndarray) or out.shape != (n, 784) or out.dtype != dtype:
        got = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else type(out)
        raise ValueError(
            f"The 'out' parameter of infinite_digits must be a {dtype} array of shape ({n}, 784). "
            f"Got {got} instead."
        )
    return out


def infinite_digits(
    n: int = 10_000,
    seed: int = 0,
    *,
    start: int = 0,
    source: str = "auto",
    part: str = "train",
    strength: float = 1.0,
    dtype: str = "float32",
    n_jobs: int | None = None,
    out: np.ndarray | None = None,
) -> Dataset:
    """Deform digits: shift, rotation and a smooth elastic field, to any number of rows.

    Row i is a function of (`seed`, i) alone, so a larger set begins with the smaller one and the
    answer does not depend on `n_jobs`. It is a deformation of digit ``i % n_digits`` of the base.

    Parameters
    ----------
    n : int
        Rows.
    seed : int
        Seed of the deformations.
    start : int
        Number of the first row: ``start=810_000`` goes on where 810,000 training rows end, as the
        test part of the papers does.
    source : {"auto", "mnist", "digits"}
        Images to deform. "mnist" needs MNIST; "digits" are scikit-learn's bundled 8x8 digits,
        enlarged; "auto" takes MNIST if it is in the data folder or the mirror, else "digits", and
        `Dataset.note` says which. Name one where the result must not depend on the machine.
    part : {"train", "test"}
        Part of the base to deform: test images are of digits never seen in training.
    strength : float
        1: up to 7.5 degrees, 1 pixel, and control points moved by up to 2 pixels: with MNIST, a
        linear SVM then tells 3 from the rest with about the error published for MNIST8m (4.3 %
        against 3.9 %). 0: none.
    dtype : {"float32", "uint8"}
        float32 holds values of [0, 1], uint8 (a quarter of the memory) 0 to 255.
    n_jobs : int, optional
        Workers, as in joblib.
    out : ndarray of shape (n, 784), optional
        Written to, and returned as `X_train`: a memory map, for more rows than memory holds.

    Returns
    -------
    Dataset
        Without a test part.

    Examples
    --------
    >>> data = infinite_digits(20, source="digits")
    >>> data.X_train.shape, float(data.X_train.min()) >= 0
    ((20, 784), True)
    """
    owner = "infinite_digits"
    check_number(owner, "n", n, kind=Integral, low=1, high=10**9)
    check_number(owner, "seed", seed, kind=Integral, low=0)
    check_n_jobs(owner, n_jobs)
    check_number(owner, "start", start, kind=Integral, low=0, high=10**15)
    check_number(owner, "strength", strength, kind=Real, low=0, high=1000)
    check_option(owner, "source", source, ("auto", "mnist", "digits"))
    check_option(owner, "part", part, ("train", "test"))
    check_option(owner, "dtype", dtype, ("float32", "uint8"))
    out = _target(out, n, dtype)
    base, labels, where, note = _base(source, part)
    _fill(out, base, int(start), int(seed), strength, n_jobs)
    y = labels[np.arange(start, start + n) % len(labels)]
    text = f"{where}, rows {start:,} to {start + n - 1:,} of seed {seed}"
    return Dataset(out, y, name="infinite_digits", source=text, note=note)


def _fill(out: np.ndarray, base: np.ndarray, start: int, seed: int, strength, n_jobs) -> None:
    from joblib import Parallel, delayed
    from tqdm import tqdm

    from hlsvm.datasets._deform import deform_rows, first_state, spline_weights

    amounts = 1.0 * strength, np.deg2rad(7.5) * strength, 2.0 * strength
    scaling = (1 / 255, 0.0) if out.dtype == np.float32 else (1.0, 0.5)
    state, weights = first_state(seed), spline_weights()
    firsts = range(0, len(out), _BLOCK)
    jobs = (
        delayed(deform_rows)(
            base, start + k, state, weights, *amounts, *scaling, out[k : k + _BLOCK]
        )
        for k in firsts
    )
    # The bar hides itself where there is no terminal.
    done = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(jobs)
    quiet = True if len(firsts) < 20 else None
    for _ in tqdm(done, total=len(firsts), unit="block", desc="digits", disable=quiet):
        pass
