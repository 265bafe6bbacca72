"""What `load` returns, and the two ways in which it can fail."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from hlsvm._params import check_number
from hlsvm.datasets._splits import partitions


class DataUnavailable(RuntimeError):
    """The data is not available and could not be fetched; the message says what to run."""


class DataCorrupted(ValueError):
    """A file is not what it should be: wrong digest, cut short, hostile or of another form."""


def _stack(first: Any, second: Any) -> Any:
    if second is None:
        return first
    if isinstance(first, np.ndarray):
        return np.concatenate([first, second])
    import scipy.sparse

    return scipy.sparse.vstack([first, second], format="csr")


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """One data set in memory, with where it came from and what to know about it.

    Parameters
    ----------
    X_train, y_train : ndarray of shape (n, d) and (n,)
        The training part, or all rows where no division is given. `X_train` may be a CSR matrix.
    X_test, y_test : ndarray or None
        The test part; None where no division is given (see `split` and `partitions`).
    name : str
        Name it was loaded by.
    source : str
        Where the data came from.
    note : str
        What differs from the papers' set (a sample, a stand-in, missing rows), how it was
        scaled and which class rule was applied. Figures made from it must say so too.
    splits : tuple of (train, test) index arrays
        Partitions distributed with the data (Raetsch's benchmark), as rows of `X`.
    feature_names, class_names : tuple of str
        Empty where the source has none. Label ``k`` is ``class_names[k]`` where they are codes.

    Examples
    --------
    >>> from hlsvm.datasets import load
    >>> load("wine")
    Dataset(wine: 178 x 13 float32, 3 classes; no test part)
    """

    X_train: Any
    y_train: np.ndarray
    X_test: Any = None
    y_test: np.ndarray | None = None
    name: str = ""
    source: str = ""
    note: str = ""
    splits: tuple = field(default=())
    feature_names: tuple[str, ...] = ()
    class_names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        n, d = self.X_train.shape
        rows = f"{n:,}" if self.X_test is None else f"{n:,} + {self.X_test.shape[0]:,}"
        kind = f"{len(self.classes)} classes" if self.y_train.dtype.kind in "iu" else "regression"
        text = f"Dataset({self.name}: {rows} x {d:,} {self.X_train.dtype}, {kind}"
        text += "" if self.X_test is not None else "; no test part"
        text += f"; {len(self.splits)} recorded partitions" if self.splits else ""
        return text + (f"; {self.note})" if self.note else ")")

    @property
    def X(self) -> Any:
        """All rows: the training part, then the test part where there is one."""
        return _stack(self.X_train, self.X_test)

    @property
    def y(self) -> np.ndarray:
        """The targets of `X`."""
        return _stack(self.y_train, self.y_test)

    @cached_property
    def classes(self) -> np.ndarray:
        """Labels that occur in the training part, in order."""
        return np.unique(self.y_train)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.X_train.shape[1]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the arrays (values, shapes and types), for the record of an experiment."""
        total = hashlib.sha256()
        for part in (self.X_train, self.y_train, self.X_test, self.y_test):
            arrays = [part] if part is None or isinstance(part, np.ndarray) else _csr_parts(part)
            for a in arrays:
                total.update(b"-" if a is None else f"{a.dtype.str}{a.shape}".encode())
                if a is not None:
                    total.update(np.ascontiguousarray(a).data)
        return total.hexdigest()

    def split(self, test_size: float = 1 / 3, seed: int = 0, stratify: bool = False) -> Dataset:
        """One random division of all rows into a training and a test part; see `partitions`."""
        bare = replace(self, splits=())
        return next(partitions(bare, 1, test_size=test_size, seed=seed, stratify=stratify))

    def sample(self, n: int, seed: int = 0) -> Dataset:
        """Keep `n` random rows of the training part and the whole test part.

        A larger sample of the same seed holds the smaller one.
        """
        rows = self.X_train.shape[0]
        check_number("Dataset.sample", "n", n, kind=Integral, low=1, high=rows)
        chosen = np.sort(np.random.default_rng(seed).permutation(rows)[:n])
        note = "; ".join([*filter(None, [self.note]), f"{n:,} random rows of the training part"])
        return replace(
            self, X_train=self.X_train[chosen], y_train=self.y_train[chosen], note=note, splits=()
        )


def _csr_parts(matrix: Any) -> list[np.ndarray]:
    return [np.array(matrix.shape), matrix.indptr, matrix.indices, matrix.data]
