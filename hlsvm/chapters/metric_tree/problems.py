"""The 31 data sets of MetricTree Table 1, what stands in for some, and the bundled ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from hlsvm.chapters._problems import by_name
from hlsvm.datasets import Dataset, load, partitions
from hlsvm.reproduce import published


@dataclass(frozen=True)
class Problem:
    """A data set with its division and the SVM it is run with.

    Attributes
    ----------
    name : str
        As in MetricTree Table 1.
    data : str
        Name for `hlsvm.datasets.load`; empty where nothing is at hand.
    n_parts : int
        Random divisions (halves in the source); 0 for the division that comes with the data.
    n_train : int
        Rows to train on of a random division; 0: half.
    C : float
    gamma : float or None
        None: 1/d. C = 1 and gamma = 1/d are LIBSVM's defaults, which the source used.
    missing : str
        What is missing, for the row "not run: data".
    options : dict
        More for `load`.
    """

    name: str
    data: str
    n_parts: int = 0
    n_train: int = 0
    C: float = 1.0
    gamma: float | None = None
    missing: str = ""
    options: dict = field(default_factory=dict)

    def load(self) -> Dataset:
        """Return the data, features scaled as in LIBSVM's collection."""
        return load(self.data, sample=False, **self.options)

    def parts(self, data: Dataset, seed: int) -> Iterator[Dataset]:
        """Yield the divisions into training and test part."""
        if not self.n_parts:
            yield data
            return
        rows = len(data.y)
        share = (rows - self.n_train) / rows if self.n_train else 0.5
        yield from partitions(data, self.n_parts, test_size=share, seed=seed)

    def width(self, data: Dataset) -> float:
        """Gamma of the kernel."""
        return 1.0 / data.n_features if self.gamma is None else self.gamma


HALVES = 5  # random halves of the sets that have no test file (the source: one, it seems)
_FILES = {
    "fourclass": ("fourclass_scale", HALVES),
    "svmguide1": ("svmguide1", 0),
    "diabetes": ("diabetes", HALVES),
    "breast-c": ("breast_cancer_original", HALVES),
    "australian": ("australian", HALVES),
    "heart": ("heart_scale", HALVES),
    "svmguide3": ("svmguide3", 0),
    "ijcnn1": ("ijcnn1", 0),
    "german": ("german", HALVES),
    "ionosphere": ("ionosphere", HALVES),
    "sonar": ("sonar", HALVES),
    "mushrooms": ("mushrooms", HALVES),
    "a1a": ("a1a", 0),
    "a8a": ("a8a", 0),
    "a9a": ("a9a", 0),
}
_MISSING = {
    "covtype": "all 581,012 rows; a sample stands in",
    "pedestrian": "HOG features of the INRIA persons",
    **{f"a{k}a": f"LIBSVM's a{k}a" for k in range(2, 8)},
    **{f"w{k}a": f"LIBSVM's w{k}a" for k in range(1, 8)},
    "w8a": "LIBSVM's w8a.t; halves of the training file stand in",
}
# Sets that stand in for one that is not at hand, under names of their own.
_STAND_INS = (
    Problem(
        "covtype sample",
        "covtype_sample_binary",
        *(1, 20_000),
        options={"scale": "symmetric"},
    ),
    Problem("w8a, halves of the training file", "w8a_train", 1),
)
_QUICK = (
    Problem("Breast cancer", "breast_cancer", 1, options={"scale": "symmetric"}),
    Problem("Digits, 3 vs rest", "digits_3vo", 1, options={"scale": "symmetric"}),
    Problem("Square", "square512", 1, C=10.0, gamma=2.0),
)
# Settings for Table 2: those of the reduced-set study are not printed. C and gamma by 5-fold
# cross-validation on the training part, over the grid of `series.tune`.
REDUCED = {"a1a": 160, "ijcnn1": 200}


def problems(scale: str) -> list[Problem]:
    """Return the problems of a scale: bundled ones, or those of Table 1 in its order.

    Examples
    --------
    >>> [problem.name for problem in problems("quick")]
    ['Breast cancer', 'Digits, 3 vs rest', 'Square']
    """
    if scale == "quick":
        return list(_QUICK)
    names = [name.split(" ")[0] for name in published("MetricTree.Tab1").dataset]
    named = [
        Problem(name, *_FILES[name])
        if name in _FILES
        else Problem(name, "", missing=_MISSING[name])
        for name in names
    ]
    return named + list(_STAND_INS)


def problem(name: str, scale: str = "paper") -> Problem:
    """Return one problem by name.

    Raises
    ------
    ValueError
        There is none of this name; the message lists them.
    """
    return by_name(name, problems(scale))


def dense(data: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training rows and labels, test rows and labels, rows as contiguous double precision."""
    X, X_test = (
        np.ascontiguousarray(part, dtype=np.float64) for part in (data.X_train, data.X_test)
    )
    return X, data.y_train, X_test, data.y_test
